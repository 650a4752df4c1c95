/** A time for a table, to the minute and in UTC, as in `2026-11-23 14:05`; nothing for none. */
export const shortTime = (time: number | string | null): string =>
  time === null ? "" : new Date(time).toISOString().slice(0, 16).replace("T", " ");
