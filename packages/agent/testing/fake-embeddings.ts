import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** A request for vectors. */
export interface SeenEmbedding {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions: number | undefined;
  readonly authorization: string | undefined;
}

/** A server with OpenAI's interface of embeddings. */
export interface FakeEmbeddings {
  readonly url: string;
  readonly requests: SeenEmbedding[];
  /** Answers in place of the next ones: a status, with headers; or silence. */
  readonly faults: (
    | {
        readonly status: number;
        readonly message?: string;
        readonly headers?: Record<string, string>;
      }
    | "silent"
  )[];
  /** Words that mean the same as another one. */
  synonyms: Readonly<Record<string, string>>;
  /** Dimensions, unless the request asks for some. */
  dimensions: number;
  /** The key that requests must have. */
  apiKey: string | undefined;
  /** Characters of a text at most. */
  maxCharacters: number;
  delayMs: number;
  /** Called once a request was read, before its answer. */
  onRequest: () => void;
  close(): Promise<void>;
}

/**
 * Starts a server whose vectors depend on the words of a text alone: each stem has a direction of its own, and that of a
 * text is their sum. So texts are near each other that share words, or have words that mean the same.
 */
export async function startFakeEmbeddings(
  given: Partial<Pick<FakeEmbeddings, "synonyms" | "dimensions" | "apiKey" | "delayMs">> = {},
): Promise<FakeEmbeddings> {
  const server = createServer();
  const service: FakeEmbeddings = {
    url: "",
    requests: [],
    faults: [],
    synonyms: {},
    dimensions: 64,
    apiKey: undefined,
    maxCharacters: Infinity,
    delayMs: 0,
    onRequest: () => {},
    ...given,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  server.on("request", (request, response) => {
    answer(service, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, { url: `http://127.0.0.1:${port}/v1` });
}

async function answer(
  service: FakeEmbeddings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = JSON.parse(await text(request)) as Omit<SeenEmbedding, "authorization">;
  const refuse = (status: number, message: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code: null, param: null } }));
  };
  if (request.url !== "/v1/embeddings") return refuse(404, "No such path");
  const { authorization } = request.headers;
  service.requests.push({ ...body, authorization });
  service.onRequest();
  if (service.apiKey !== undefined && authorization !== `Bearer ${service.apiKey}`) {
    return refuse(401, `Incorrect API key provided: ${String(authorization)}`);
  }
  const fault = service.faults.shift();
  if (fault === "silent") return;
  if (fault !== undefined) return refuse(fault.status, fault.message ?? "Failed", fault.headers);
  if (body.input.some((one) => one.length > service.maxCharacters)) {
    return refuse(400, "This model's maximum context length is exceeded");
  }
  if (service.delayMs > 0) await sleep(service.delayMs);
  const dimensions = body.dimensions ?? service.dimensions;
  const data = body.input.map((one, index) => {
    return { object: "embedding", index, embedding: embedText(one, { ...service, dimensions }) };
  });
  const tokens = body.input.reduce((sum, one) => sum + wordsOf(one).length, 0);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      object: "list",
      data,
      model: body.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }),
  );
}

const wordsOf = (given: string): string[] => given.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The vector of a text. */
export function embedText(
  given: string,
  { synonyms, dimensions }: Pick<FakeEmbeddings, "synonyms" | "dimensions">,
): number[] {
  const sum = new Float64Array(dimensions);
  for (const word of new Set(wordsOf(given).map((one) => stemOf(synonyms[one] ?? one)))) {
    const direction = directionOf(word, dimensions);
    for (let index = 0; index < dimensions; index++) sum[index]! += direction[index]!;
  }
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (one) => one / length || 1e-6);
}

const stemOf = (word: string): string =>
  word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, "") : word;

const directions = new Map<string, Float64Array>();

/** A direction by the hash of a word, with each dimension about as often above zero as below. */
function directionOf(word: string, dimensions: number): Float64Array {
  const key = `${dimensions} ${word}`;
  const known = directions.get(key);
  if (known !== undefined) return known;
  const direction = new Float64Array(dimensions);
  for (let at = 0; at < dimensions; at += 32) {
    const bytes = createHash("sha256").update(`${word} ${at}`).digest();
    for (let index = 0; index < 32 && at + index < dimensions; index++) {
      direction[at + index] = bytes[index]! - 127.5;
    }
  }
  directions.set(key, direction);
  return direction;
}
