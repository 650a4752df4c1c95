import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP in JSON has it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
}

/** A request to the collector. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A collector of traces that keeps what it receives. */
export interface FakeCollector extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  readonly requests: ReceivedRequest[];
  /** Called when a request has begun, before its body is read. */
  begin: () => void;
  /** Answers a request; by default with 200, which accepts all. */
  answer: (response: ServerResponse, request: ReceivedRequest) => void;
}

/** The spans of a request in JSON. */
export function spansOf({ body }: ReceivedRequest): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as {
    resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** The attributes of a span by their names. */
export function attributesIn({ attributes }: ReceivedSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Starts a collector on loopback. */
export async function startFakeCollector(): Promise<FakeCollector> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    fake.begin();
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { url: path = "", headers } = incoming;
      const request = { path, headers, body: Buffer.concat(chunks) };
      requests.push(request);
      fake.answer(response, request);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeCollector = {
    url: `http://${host}/v1/traces`,
    host,
    requests,
    begin: () => {},
    answer: (response) => void response.writeHead(200).end(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  return fake;
}
