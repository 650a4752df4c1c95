import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

/** A received request. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request; nothing has been sent yet. */
export type Answer = (response: http.ServerResponse, request: Seen) => void;

/** A server that answers its first request with the first answer, and so on; the last is repeated. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly Seen[];
}

/** Starts a server with scripted answers. */
export async function startScriptedServer(...answers: Answer[]): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const last: Seen = { method, url, headers, body };
      const answer = answers[Math.min(seen.length, answers.length - 1)];
      seen.push(last);
      answer?.(response, last);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers with JSON. */
export function json(
  status: number,
  value: unknown,
  headers: http.OutgoingHttpHeaders = {},
): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
}

/** Answers with an error of Parley. */
export function refusal(
  status: number,
  type: string,
  headers: http.OutgoingHttpHeaders = {},
): Answer {
  return json(status, { error: { type, message: `It is ${type}`, request_id: "req-1" } }, headers);
}

/** Closes the connection without a response. */
export const hangUp: Answer = (response) => void response.destroy();

/** Begins a stream of events with these bytes. */
export function stream(bytes: string | Uint8Array, end: "end" | "cut" | "stay" = "end"): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    response.write(bytes, () => {
      if (end === "end") response.end();
      if (end === "cut") response.destroy();
    });
  };
}
