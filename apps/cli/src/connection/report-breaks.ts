import type { ConnectionState } from "parley-client";

/** How long a person waits for a server that has gone away in the middle of an answer. */
export const RECONNECT_FOR_MS = 60_000;

/**
 * Calls `report` when the connection of a follower breaks, and when it is there again.
 */
export function reportBreaks(report: (line: string) => void) {
  let isBroken = false;
  return (state: {
    readonly status: ConnectionState["status"];
    readonly error?: unknown;
  }): void => {
    if (state.status === "waiting" && state.error !== undefined && !isBroken) {
      isBroken = true;
      report("connection lost, retrying; Ctrl-C stops waiting");
    } else if (state.status === "open" && isBroken) {
      isBroken = false;
      report("reconnected");
    }
  };
}
