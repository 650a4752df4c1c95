import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "@parley/command/command-error";
import { reportLine } from "@parley/command/print";
import { probeServer } from "@parley/command/probe-server";
import type { ServerConnection } from "../connection/connect.ts";
import { RECONNECT_FOR_MS } from "../connection/report-breaks.ts";

/** How long nothing may come before the reason is looked for, and looked for again. */
const SILENCE_MS = 3000;
const PROBE_MS = 2000;

/**
 * Says why an answer has not begun, until the signal aborts. Throws `CommandError` if it waits for a person, or
 * if no worker has run for a minute.
 */
export async function explainSilence(
  { io, parley, url }: ServerConnection,
  conversationId: string,
  signal: AbortSignal,
): Promise<void> {
  let withoutWorker: number | undefined;
  while (!signal.aborted) {
    await sleep(SILENCE_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    // A server that cannot be reached is reported by what follows the answer.
    const [waiting, probe] = await Promise.all([
      parley.conversations
        .listBlockedActions({ conversationId }, { signal })
        .catch(() => undefined),
      probeServer(url, PROBE_MS).catch(() => undefined),
    ]);
    if ((waiting?.blockedActions.length ?? 0) > 0) {
      throw new CommandError(
        `An earlier answer in this conversation is waiting for your decision: run parley chat --conversation ${conversationId}, or parley console`,
        { exitCode: 3 },
      );
    }
    const reason = probe?.isAlive === true ? probe.details : undefined;
    if (reason === undefined) {
      withoutWorker = undefined;
      continue;
    }
    if (withoutWorker === undefined) {
      withoutWorker = performance.now();
      reportLine(io, `waiting: ${reason}; Ctrl-C cancels`);
    } else if (performance.now() - withoutWorker > RECONNECT_FOR_MS) {
      throw new CommandError(
        `The answer has not started: ${reason}. It will once a worker runs; follow it with parley tail conversation ${conversationId}`,
      );
    }
  }
}
