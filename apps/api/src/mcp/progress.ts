import type { ServerContext } from "@modelcontextprotocol/server";
import type { McpExchange } from "./exchange.ts";

/** Time between two notifications at least: a growing text is sent whole each time. */
const INTERVAL_MS = 200;
/** Characters of a message; of a longer one, the end is sent. */
const MAX_MESSAGE = 8192;

interface Update {
  /** Grows with each update; others are ignored. */
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/** Disposing of it stops it. */
export interface Progress extends Disposable {
  /** Sends the latest update, soon, if the client asked for progress. */
  report(update: Update): void;
}

/** The notifications of a call's progress. A client that reads slowly gets fewer. */
export function openProgress(
  { reply, services }: McpExchange,
  { mcpReq }: ServerContext,
): Progress {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { report: () => {}, [Symbol.dispose]: () => {} };
  let sent = -Infinity;
  let latest: Update | undefined;
  let timer: NodeJS.Timeout | undefined;
  const send = (): void => {
    timer = undefined;
    if (latest === undefined || latest.progress <= sent) return;
    timer = setTimeout(send, INTERVAL_MS);
    if (reply.raw.writableNeedDrain) return;
    sent = latest.progress;
    const message = cut(latest.message);
    mcpReq
      .notify({ method: "notifications/progress", params: { ...latest, message, progressToken } })
      .catch((error: unknown) => services.logger.debug({ err: error }, "No progress was sent"));
  };
  return {
    report: (update) => {
      latest = update;
      if (timer === undefined) send();
    },
    [Symbol.dispose]: () => {
      latest = undefined;
      clearTimeout(timer);
    },
  };
}

function cut(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `…${message.slice(-MAX_MESSAGE).toWellFormed()}`;
}
