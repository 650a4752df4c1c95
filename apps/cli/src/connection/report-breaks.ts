import type { ConnectionState } from "parley-client";
import { reportLine } from "../print.ts";

/** How long a person waits for a server that has gone away in the middle of an answer. */
export const RECONNECT_FOR_MS = 60_000;

/**
 * Calls `report` when the connection of a follower breaks, and when it is there again; by default that is a line on
 * standard error.
 */
export function reportBreaks(report: (line: string) => void = reportLine) {
  let isBroken = false;
  return (state: ConnectionState): void => {
    if (state.status === "waiting" && state.error !== undefined && !isBroken) {
      isBroken = true;
      report("connection lost: trying again, Ctrl-C stops waiting");
    } else if (state.status === "open" && isBroken) {
      isBroken = false;
      report("connected again");
    }
  };
}
