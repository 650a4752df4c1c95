import type { Session } from "../api/session.ts";

/** Who writes a message, and where. */
export function authorOf({ userName, keyName }: Session): { username: string; timezone: string } {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { username: userName ?? keyName, timezone: timeZone };
}
