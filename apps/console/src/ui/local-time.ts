/** A moment as the value of a field of the type `datetime-local`, in the reader's time zone. */
export function toLocalInput(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}

/** The moment in the value of such a field; undefined for an empty one. */
export function fromLocalInput(value: string): number | undefined {
  const ms = new Date(value).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}
