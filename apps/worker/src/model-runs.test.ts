import { startFakeService } from "@parley/agent/testing";
import { type Context, followLog, updateWorkspace } from "@parley/core";
import {
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "./config.ts";
import { createWorker } from "./worker.ts";

// Turns with models of services when their worker stops.

const model = { providerId: "openai_compatible", modelId: "llama" };

describe("turns of services", () => {
  let test: TestCore;
  let context: Context;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    const workspace = await insertTestWorkspace(test.core);
    const admin = await openTestContext(test.core, workspace);
    const change = { wId: workspace.sid, models: [model] };
    await updateWorkspace(admin, parseInput(endpoints["workspaces.update"], change));
    await insertTestAgent(test.core, workspace, { sid: "ann", ...model });
    context = await openTestContext(test.core, workspace);
  });
  beforeEach(() => clearRuns(test.core));
  afterAll(() => test.close());

  const startWorker = (url: string) => {
    const settings = WorkerSettings.parse({ PARLEY_OPENAI_COMPATIBLE_URL: `${url}/v1` });
    const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
    worker.start();
    onTestFinished(() => worker.close(0));
    return worker;
  };
  const start = async (text: string, tokenDelayMs: number) => {
    const service = await startFakeService({ script: { steps: [{ text }], tokenDelayMs } });
    onTestFinished(service.close);
    const { conversation } = await createTestConversation(context, ["ann"]);
    return { service, mId: conversation.content.at(-1)![0]!.sId };
  };
  /** Waits until the log holds an event of this type. */
  const until = async (logId: string, type: string): Promise<void> => {
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some((event) => event.type === type)) return;
    }
  };

  it("abort their calls when the worker stops, and end as interrupted if they have published text", async () => {
    const { service, mId } = await start("word ".repeat(5000), 5);
    const worker = startWorker(service.url);
    await until(mId, "generation_tokens");
    await worker.close(0);
    await service.idle();
    startWorker(service.url);
    await until(mId, "agent_error");
    const last = (await readTestLog(test.core, mId)).at(-1);
    expect(last).toMatchObject({ type: "agent_error", error: { code: "interrupted" } });
    expect(service.requests).toHaveLength(1);
  });

  it("are started again by the next worker if they have published nothing", async () => {
    const { service, mId } = await start("Here I am", 0);
    service.faults.push({ kind: "silent", afterFrames: 0 });
    const asked = Promise.withResolvers<void>();
    service.onRequest = asked.resolve;
    const worker = startWorker(service.url);
    await asked.promise;
    await worker.close(0);
    await service.idle();
    startWorker(service.url);
    await until(mId, "agent_message_success");
    const last = (await readTestLog(test.core, mId)).at(-1);
    expect(last).toMatchObject({ message: { status: "succeeded", content: "Here I am" } });
    expect(service.requests).toHaveLength(2);
  });

  it("send the same bytes when the next worker takes over, and count each step once", async () => {
    const { service, mId } = await start("", 0);
    const toolCalls = [{ name: "look", params: { zoom: 1, at: 2 } }];
    service.script = {
      steps: [{ text: "I look. ", toolCalls }, { text: "A lake" }],
      tokenDelayMs: 0,
    };
    service.counts = { input: 2000, output: 300, cached: 1500, reasoning: 120 };
    service.faults.push({ kind: "rewritten", rewrite: (frame) => frame });
    service.faults.push({ kind: "silent", afterFrames: 0 });
    const asked = Promise.withResolvers<void>();
    service.onRequest = () => {
      if (service.requests.length === 2) asked.resolve();
    };
    const worker = startWorker(service.url);
    await asked.promise;
    await worker.close(0);
    await service.idle();
    service.counts = { input: 2100, output: 50, cached: 2000, reasoning: 0 };
    startWorker(service.url);
    await until(mId, "agent_message_success");
    const bodies = service.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(3);
    // Its parameters were stored, which keeps no order of their names.
    expect(bodies[2]).toBe(bodies[1]);
    const stored: unknown = await test.core.database.db.execute(
      `select m.steps, r.input_tokens::int as input, r.output_tokens::int as output
        from messages m join runs r on r.log_id = m.sid where m.sid = '${mId}'`,
    );
    const durationMs = expect.any(Number) as number;
    const steps = [
      {
        step: 0,
        inputTokens: 2000,
        outputTokens: 300,
        cachedInputTokens: 1500,
        reasoningTokens: 120,
        durationMs,
      },
      { step: 1, inputTokens: 2100, outputTokens: 50, cachedInputTokens: 2000, durationMs },
    ];
    expect(stored).toMatchObject({ rows: [{ steps, input: 4100, output: 350 }] });
  });
});
