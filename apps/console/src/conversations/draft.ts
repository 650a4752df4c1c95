import type { Session } from "../api/session.ts";

/** The author of a message and their time zone. */
export function authorOf({ userName, keyName }: Session): { username: string; timezone: string } {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { username: userName ?? keyName, timezone: timeZone };
}
