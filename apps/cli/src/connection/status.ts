import type { Overview, Session } from "@parley/schema";
import { createRpcClient } from "parley-client";
import { CommandError } from "../command-error.ts";
import { printLine } from "../print.ts";
import { callServer } from "./call-server.ts";
import { findServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";
import { describeSession } from "./who-am-i.ts";

/** How long the server may take to say whether it is ready. */
const READY_MS = 5000;

/**
 * Says whether a server is ready, whose key commands use, and what happens now and happened in the last hour.
 * Throws `CommandError` where the server is not ready.
 */
export async function showStatus(options: ServerOptions): Promise<void> {
  const { url, apiKey, workspaceId } = await findServer(options);
  const ready = await readReadiness(url);
  const rpc = createRpcClient({ url, apiKey });
  const { session } = await callServer(rpc.session.get.query({}));
  const wId = workspaceId ?? session.workspace?.sId;
  const overview = mayReadOverview(session)
    ? await callServer(
        wId === undefined ? rpc.overview.getServer.query({}) : rpc.overview.get.query({ wId }),
      )
    : undefined;
  if (options.json) printLine(JSON.stringify({ url, ready, session, overview: overview ?? null }));
  else {
    printLine(`server   ${url}: ${ready.isReady ? "ready" : `not ready, ${ready.reason}`}`);
    printLine(`key      ${describeSession(session)}`);
    for (const line of overview === undefined ? [] : describeOverview(overview)) printLine(line);
  }
  if (!ready.isReady) throw new CommandError(`The server is not ready: ${ready.reason}`);
}

const mayReadOverview = ({ role }: Session): boolean => role !== "user";

async function readReadiness(
  url: string,
): Promise<{ readonly isReady: boolean; readonly reason: string | null }> {
  const signal = AbortSignal.timeout(READY_MS);
  const response = await callServer(fetch(`${url.replace(/\/+$/, "")}/readyz`, { signal }));
  if (response.ok) {
    await response.body?.cancel();
    return { isReady: true, reason: null };
  }
  const reason = (await response.text()).replaceAll(/[\p{Cc}\s]+/gu, " ").slice(0, 500);
  return { isReady: false, reason };
}

function describeOverview({ now, series }: Overview): string[] {
  const sum = (name: keyof Overview["series"]): number =>
    series[name].reduce((total, value) => total + value, 0);
  const oldest = now.oldestWaitingMs === null ? "" : `, the oldest for ${now.oldestWaitingMs} ms`;
  return [
    `now      ${now.waitingRuns} runs wait${oldest}; ${now.runningRuns} run; ${now.openStreams} streams are open`,
    `an hour  ${sum("conversations")} conversations; ${sum("turns")} turns, ${sum("turnsErrored")} failed; ` +
      `${sum("invocations")} invocations, ${sum("invocationsErrored")} failed; ` +
      `${sum("inputTokens")} tokens in, ${sum("outputTokens")} out`,
  ];
}
