import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";
import { median, percentile } from "../statistics.ts";

const TURNS = 50;
const WARM_UP_TURNS = 20;
/** Time for the follower to be connected and the server to be idle, before the model speaks. */
const SETTLE_MS = 30;
const model = { providerId: "openai_compatible", modelId: "bench" };

/** Measures how long after the model's first word a follower has it, one turn alone. */
export async function benchFirstToken(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds } = options;
  const service = await startFirstTokenService(resources);
  const database = await postgres.createDatabase(resources, "first_token");
  const { demo } = await startParley(resources, database, {
    settings: { PARLEY_OPENAI_COMPATIBLE_URL: service.url },
  });
  const agentId = await createAgent(demo);
  const measure = async (turns: number): Promise<number[]> => {
    const taken: number[] = [];
    for (let turn = 0; turn < turns; turn++) taken.push(await followTurn(demo, agentId, service));
    return taken;
  };
  await measure(WARM_UP_TURNS);
  const medians: number[] = [];
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const taken = await measure(TURNS);
    medians.push(median(taken));
    all.push(...taken);
  }
  const row = {
    turns: all.length,
    "p50 ms": percentile(all, 0.5),
    "p99 ms": percentile(all, 0.99),
  };
  const name = "first token after the model's, p50 ms";
  return { tables: [[row]], questions: [{ name, of: medians, target: { atMost: 20 } }] };
}

async function createAgent({ url, workspaceId: wId, operatorKey }: Demo): Promise<string> {
  const rpc = createRpcClient({ url, apiKey: operatorKey });
  await rpc.workspaces.update.mutate({ wId, models: [model] });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "bench",
    description: "Says one word",
    model,
  });
  return agentConfiguration.sId;
}

/** Milliseconds from the model's first word to the follower. */
async function followTurn(
  demo: Demo,
  agentId: string,
  service: FirstTokenService,
): Promise<number> {
  const { url, workspaceId, adminKey } = demo;
  const conversations = `/v1/w/${workspaceId}/assistant/conversations`;
  const headers = { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" };
  const created = await fetch(`${url}/api${conversations}`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      message: { content: "Say a word", mentions: [{ configurationId: agentId }] },
    }),
  });
  const { conversation } = (await created.json()) as {
    conversation: { sId: string; content: { sId: string }[][] };
  };
  const messageId = conversation.content[1]?.[0]?.sId;
  const path = `${conversations}/${conversation.sId}/messages/${messageId}/events`;
  const followed = await fetch(`${url}/api/sse${path}`, { headers });
  if (followed.body === null) throw new Error(`Following answered ${followed.status}`);
  let text = "";
  let arrivedAt: number | undefined;
  const read = async (body: NonNullable<Response["body"]>): Promise<void> => {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes('"generation_tokens"')) arrivedAt ??= performance.now();
    }
  };
  const reading = read(followed.body);
  await sleep(SETTLE_MS);
  const wroteAt = await service.answer();
  await reading;
  if (arrivedAt === undefined) throw new Error(`The turn said nothing: ${text.slice(0, 2000)}`);
  return arrivedAt - wroteAt;
}

/** A service whose model says its first word when it is told to. */
interface FirstTokenService {
  /** Its base URL, as a provider that is compatible with OpenAI has it. */
  readonly url: string;
  /** Waits for the next request, says one word and ends. Gives when the word was written. */
  answer(): Promise<number>;
}

const frameOf = (choice: object): string =>
  `data: ${JSON.stringify({
    id: "1",
    object: "chat.completion.chunk",
    created: 0,
    model: "bench",
    choices: [{ index: 0, finish_reason: null, ...choice }],
  })}\n\n`;

/** Starts it on loopback. */
async function startFirstTokenService(resources: AsyncDisposableStack): Promise<FirstTokenService> {
  const asked: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
      asked.push(response);
      server.emit("asked");
    });
  });
  server.listen(0, "127.0.0.1");
  resources.defer(() => server.close().closeAllConnections());
  await once(server, "listening");
  // A server on a TCP port has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    answer: async () => {
      if (asked.length === 0) await once(server, "asked");
      const response = asked.shift();
      const wroteAt = performance.now();
      response?.write(frameOf({ delta: { role: "assistant", content: "word" } }));
      response?.end(`${frameOf({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
      return wroteAt;
    },
  };
}
