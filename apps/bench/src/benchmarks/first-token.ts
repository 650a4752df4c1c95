import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import { answerFigure, type ResultRow } from "../report.ts";
import { median, percentile } from "../statistics.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";
import { type FirstTokenService, startFirstTokenService } from "../turn/first-token-service.ts";

const TURNS = 50;
const WARM_UP_TURNS = 20;
/** Time for the follower to be connected and the server to be idle, before the model speaks. */
const SETTLE_MS = 30;
const model = { providerId: "openai_compatible", modelId: "bench" };

/** Measures how long after the model's first word a follower has it, one turn alone. */
export async function benchFirstToken(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, resources, rounds, print } = options;
  const service = await startFirstTokenService(resources);
  const database = await postgres.createDatabase(resources, "first_token");
  const { demo } = await startParley(resources, database.url, {
    PARLEY_OPENAI_COMPATIBLE_URL: service.url,
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
  const results = [
    answerFigure("first token after the model's, p50 ms", medians, targets.firstTokenMs),
  ];
  const row = {
    turns: all.length,
    "p50 ms": percentile(all, 0.5),
    "p99 ms": percentile(all, 0.99),
  };
  print(`\n${renderTable([row])}\n${renderTable(results)}`);
  return results;
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
