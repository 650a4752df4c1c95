import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { SimulatedScript } from "@parley/schema";
import { anthropicMessages } from "./wire-formats/anthropic-messages.ts";
import { chatCompletions, deepseekChat, mistralChat } from "./wire-formats/chat-completions.ts";
import { googleGenerateContent } from "./wire-formats/google-generate-content.ts";
import { responses } from "./wire-formats/responses.ts";
import {
  counted,
  type Counts,
  type ReadRequest,
  split,
  type WireFormat,
} from "./wire-formats/wire-format.ts";

const formats = [
  mistralChat,
  deepseekChat,
  chatCompletions,
  responses,
  anthropicMessages,
  googleGenerateContent,
];

/** A fault of one request. */
export type Fault =
  /** The response is an error with this status. */
  | { readonly kind: "status"; status: number; message?: string; headers?: Record<string, string> }
  /** The connection breaks after so many frames. */
  | { readonly kind: "cut"; afterFrames: number }
  /** The response ends cleanly after so many frames. */
  | { readonly kind: "ended"; afterFrames: number }
  /** A malformed frame comes after so many others. */
  | { readonly kind: "malformed"; afterFrames: number }
  /** The service reports an error after so many frames. */
  | { readonly kind: "broken off"; afterFrames: number }
  /** Nothing comes after so many frames, and the connection stays open. */
  | { readonly kind: "silent"; afterFrames: number }
  /** The model refuses to answer, in the service's own way. */
  | { readonly kind: "withheld" }
  /** Each frame is changed before it is sent. */
  | { readonly kind: "rewritten"; rewrite: (frame: string) => string };

export interface SeenRequest extends ReadRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** As it was sent. */
  readonly json: string;
  readonly body: Record<string, unknown>;
}

export interface FakeService {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Faults of the next requests, in order; later ones succeed. */
  readonly faults: Fault[];
  /** Script of the following requests. */
  script: SimulatedScript;
  /** The key that requests must have. */
  apiKey: string | undefined;
  /** Code units of a piece of text. */
  pieceSize: number;
  /** Usage that each answer reports. */
  counts: Counts;
  /** Called after each request was read. */
  onRequest: () => void;
  /** Number of responses in progress. */
  open(): number;
  /** Resolves when no response is in progress. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an HTTP server that answers as the services' public documentation says: it plays the steps
 * of a script, in the format of the request's path. `{{message}}` and `{{result}}` of a script stand for
 * the texts of the request.
 */
export async function startFakeService(
  given: Partial<Pick<FakeService, "script" | "apiKey" | "pieceSize" | "counts">> = {},
): Promise<FakeService> {
  const server = createServer();
  const open = new Set<ServerResponse>();
  let waiting: (() => void)[] = [];
  const service: FakeService = {
    url: "",
    requests: [],
    faults: [],
    script: { steps: [{ text: "You said: {{message}}" }], tokenDelayMs: 0 },
    apiKey: undefined,
    pieceSize: 7,
    counts: counted,
    onRequest: () => {},
    ...given,
    open: () => open.size,
    idle: async () => {
      if (open.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  server.on("request", (request, response) => {
    open.add(response);
    response.once("close", () => {
      open.delete(response);
      if (open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
    answer(service, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, { url: `http://127.0.0.1:${port}` });
}

async function answer(
  service: FakeService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? "", "http://fake").pathname;
  const format = formats.find((one) => one.path.test(path));
  if (format === undefined) return refuse(response, chatCompletions, 404, "No such path");
  const json = await text(request);
  const body = JSON.parse(json) as Record<string, unknown>;
  let read: ReadRequest;
  try {
    read = format.read(body);
  } catch (error) {
    return refuse(response, format, 400, error instanceof Error ? error.message : "Invalid");
  }
  service.requests.push({ ...read, path, headers: request.headers, json, body });
  service.onRequest();
  const [header, scheme] = format.credential;
  if (service.apiKey !== undefined && request.headers[header] !== scheme + service.apiKey) {
    return refuse(
      response,
      format,
      401,
      `Incorrect API key provided: ${String(request.headers[header])}`,
    );
  }
  const refusal = format.refuseCalls(body);
  if (refusal !== undefined) return refuse(response, format, 400, refusal);
  const fault = service.faults.shift();
  if (fault?.kind === "status") {
    return refuse(response, format, fault.status, fault.message ?? "It went wrong", fault.headers);
  }
  const step = service.script.steps[read.step] ?? {};
  if (step.error !== undefined) return refuse(response, format, 500, step.error.message);
  const fill = (template = "") =>
    split(
      template.replaceAll(
        /\{\{(message|result)\}\}/g,
        (_, name: "message" | "result") => read[name],
      ),
      service.pieceSize,
    );
  const model = typeof body.model === "string" ? body.model : "model";
  const frames = format.encode({
    model,
    reasoning: fill(step.reasoning),
    text: fill(step.text),
    toolCalls: step.toolCalls ?? [],
    step: read.step,
    counts: service.counts,
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (fault?.kind === "broken off") {
    frames.splice(fault.afterFrames, Infinity, format.breakOff("Too many"));
  }
  const delayMs = service.script.tokenDelayMs;
  if (fault?.kind === "withheld") {
    return send(response, frames.map(format.withhold), { fault: undefined, delayMs });
  }
  if (fault?.kind === "rewritten") {
    return send(response, frames.map(fault.rewrite), { fault: undefined, delayMs });
  }
  await send(response, frames, { fault, delayMs });
}

async function send(
  response: ServerResponse,
  frames: readonly string[],
  {
    fault,
    delayMs,
  }: {
    fault: Exclude<Fault, { kind: "status" | "withheld" | "rewritten" }> | undefined;
    delayMs: number;
  },
): Promise<void> {
  response.flushHeaders();
  for (const [index, frame] of frames.entries()) {
    if (fault?.afterFrames === index) {
      if (fault.kind === "silent") return;
      if (fault.kind === "cut") {
        // A client loses what it has not read when the connection breaks.
        await sleep(20);
        return void response.destroy();
      }
      if (fault.kind === "ended") break;
      if (fault.kind === "malformed") response.write("data: {not json\n\n");
    }
    if (delayMs > 0) await sleep(delayMs);
    if (response.destroyed) return;
    if (!response.write(`${frame}\n\n`)) {
      const waited = new AbortController();
      const { signal } = waited;
      await Promise.race([
        once(response, "drain", { signal }),
        once(response, "close", { signal }),
      ]).finally(() => waited.abort());
    }
  }
  response.end();
}

function refuse(
  response: ServerResponse,
  format: WireFormat,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(format.refuse(status, message)));
}
