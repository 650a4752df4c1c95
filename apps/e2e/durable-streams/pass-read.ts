import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenApi } from "./open-api.ts";

/** A stream that was created. */
export interface WritableStream {
  readonly contentType: string;
  readonly logId: string;
  readonly path: string;
  end: number;
  closed: boolean;
}

const passed = [
  "if-none-match",
  "origin",
  "access-control-request-method",
  "access-control-request-headers",
];
/** Of the route's headers, those of a body that is replaced. */
const ofBody = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);

const isJson = ({ contentType }: WritableStream) => contentType.startsWith("application/json");

/** The value that was appended, of an event as the route has it. */
function valueOf(item: unknown): unknown {
  const { data } = item as { data: unknown };
  const isLast = typeof data === "object" && data !== null && "last" in data;
  return isLast ? data.last : data;
}

/** The bytes of a page, as the stream has them. */
function bodyOf(stream: WritableStream, page: string): Buffer {
  const values = (JSON.parse(page) as unknown[]).map(valueOf);
  if (isJson(stream)) return Buffer.from(JSON.stringify(values));
  return Buffer.concat(values.map((value) => Buffer.from(value as string, "base64")));
}

/** An event of a stream, whose page is replaced by the stream's own bytes. */
function eventOf(stream: WritableStream, event: string): string {
  const page = /^event: data\ndata:(?<page>.*)$/.exec(event)?.groups?.["page"];
  if (page === undefined) return event;
  const lines = bodyOf(stream, page)
    .toString()
    .split(/\r\n|\r|\n/);
  return ["event: data", ...lines.map((line) => `data:${line}`)].join("\n");
}

/** Passes a read on to the real route, and its answer back: only what the suite appended is taken out of its events. */
export async function passRead(
  { url, authorization, unknownPath }: Pick<OpenApi, "url" | "authorization" | "unknownPath">,
  stream: WritableStream | undefined,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { method = "GET", url: asked = "" } = request;
  const query = asked.includes("?") ? asked.slice(asked.indexOf("?")) : "";
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const given = passed.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  const answer = await fetch(`${url}${stream?.path ?? unknownPath}${query}`, {
    method,
    signal: gone.signal,
    // The suite gives a wait less time than the server does.
    headers: { authorization, prefer: "wait=2", ...Object.fromEntries(given) },
  });
  const headers = [...answer.headers].filter(([name]) => !ofBody.has(name));
  const type = answer.headers.get("content-type");
  for (const [name, value] of headers) response.setHeader(name, value);
  response.statusCode = answer.status;
  if (stream === undefined || answer.body === null || method === "HEAD" || !answer.ok) {
    if (stream !== undefined && answer.ok && type === "application/json") {
      response.setHeader("content-type", stream.contentType);
    }
    response.end(Buffer.from(await answer.arrayBuffer()));
    return;
  }
  if (type !== "text/event-stream") {
    response.setHeader("content-type", stream.contentType);
    response.end(bodyOf(stream, await answer.text()));
    return;
  }
  response.flushHeaders();
  let left = "";
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const events = (left + chunk).split("\n\n");
    left = events.pop() ?? "";
    response.write(events.map((event) => `${eventOf(stream, event)}\n\n`).join(""));
  }
  response.end();
}
