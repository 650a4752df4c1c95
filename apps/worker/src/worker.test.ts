import { type Context, type Core, followLog, type StoredEvent } from "@parley/core";
import {
  appendEvents,
  handBackRuns,
  invokeSandboxFunction,
  renewLeases,
  takeOverRuns,
} from "@parley/core";
import {
  claimRuns,
  claimTestTurns,
  clearRuns,
  countTestRuns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  orphanTestRuns,
  type TestCore,
  testToken,
} from "@parley/core/testing";
import { MessageEvent, type SimulatedScript } from "@parley/schema";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WorkerSettings } from "./config.ts";
import { createWorker, type Worker } from "./worker.ts";

const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");
const paused = (...steps: SimulatedScript["steps"]) => ({ steps, tokenDelayMs: 5 });
const look = { name: "look", params: { at: "sky" }, output: "blue" };

const scripts: Record<string, SimulatedScript> = {
  quick: { steps: [{ text: "You said {{message}}" }], tokenDelayMs: 0 },
  long: { steps: [{ text: words }], tokenDelayMs: 40 },
  slow: paused({ reasoning: "Let me think. ", text: words }),
  caller: paused({ text: "First. ", toolCalls: [look] }, { text: words }),
  faulty: paused({ text: "I try, but ", error: { code: "broken", message: "It broke" } }),
};

describe("a worker", () => {
  let test: TestCore;
  let context: Context;
  const workers: Worker[] = [];
  const faults: string[] = [];
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    const workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace);
    for (const [sid, script] of Object.entries(scripts)) {
      await insertTestAgent(test.core, workspace, { sid, script });
    }
    await insertTestFunction(test.core, workspace, { slug: "add", result: "a + b" });
    await insertTestFunction(test.core, workspace, {
      slug: "long",
      durationMs: 60_000,
      steps: [{ at: 0, log: { stream: "stdout", text: "begun" } }],
    });
  });
  beforeEach(() => clearRuns(test.core));
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close(0)));
    if (faults.length > 0) throw new Error(faults.splice(0).join(""));
  });
  afterAll(() => test.close());

  const startWorker = (core: Core = test.core): Worker => {
    const logger = pino({ level: "error" }, { write: (line: string) => void faults.push(line) });
    const own = { PARLEY_WORKER_CONCURRENCY: 10, PARLEY_LEASE_MS: 600_000 };
    const settings = WorkerSettings.parse(own);
    const worker = createWorker({ core, settings, logger });
    workers.push(worker);
    worker.start();
    return worker;
  };
  const ask = async (agentId: string): Promise<string> => {
    const { conversation } = await createTestConversation(context, [agentId]);
    return conversation.content.at(-1)![0]!.sId;
  };
  const invoke = (functionId: string, preferredWaitMs: number, input: unknown = null) =>
    invokeSandboxFunction(Object.assign(Object.create(context) as Context, { preferredWaitMs }), {
      functionId,
      input,
    });
  /** Reads a log until an event of this type, by default the terminal one. */
  const follow = async (logId: string, until?: string): Promise<StoredEvent[]> => {
    const seen: StoredEvent[] = [];
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      seen.push(...events);
      if (seen.some((event) => event.type === until)) break;
    }
    expect(seen.map((event) => event.seq)).toEqual(seen.map((_, index) => index + 1));
    return seen;
  };
  /** Follows an answer to its end: what was published, and what it came to. */
  const read = async (messageId: string) => {
    const events = (await follow(messageId)).map(({ payload }) =>
      MessageEvent.parse(JSON.parse(payload)),
    );
    const published = (classification: string) =>
      events
        .map((event) =>
          event.type === "generation_tokens" && event.classification === classification
            ? event.text
            : "",
        )
        .join("");
    const calls = events.filter((event) => event.type === "agent_action_success").length;
    const text = published("tokens");
    return { text, reasoning: published("chain_of_thought"), calls, end: events.at(-1) };
  };
  it("deletes runs whose message or function was deleted", async () => {
    await ask("quick");
    await invoke("add", 0);
    await orphanTestRuns(test.core);
    startWorker();
    await expect.poll(() => countTestRuns(test.core)).toBe(0);
    // The worker has capacity for others.
    expect((await invoke("add", 5000, { a: 1, b: 2 })).outcome).toMatchObject({ result: 3 });
  });

  const success = (content: string) => ({
    type: "agent_message_success",
    message: { status: "succeeded", content, error: null },
  });

  it("runs a turn to its end, with the published text", async () => {
    startWorker();
    const created = await createTestConversation(context, ["quick", "slow"], { blocking: true });
    expect(created.conversation.content.flat().slice(1)).toMatchObject([
      { status: "succeeded", content: "You said Hello" },
      { status: "succeeded", content: words, chainOfThought: "Let me think. " },
    ]);
    const slow = created.conversation.content[2]![0]!;
    expect(await read(slow.sId)).toMatchObject({
      text: words,
      reasoning: "Let me think. ",
      end: success(words),
    });
  });

  it("runs turns from before its start", async () => {
    const messageId = await ask("quick");
    startWorker();
    expect((await read(messageId)).end).toMatchObject(success("You said Hello"));
  });

  it("ends a failed turn with its error, after the published text", async () => {
    startWorker();
    expect(await read(await ask("faulty"))).toMatchObject({
      text: "I try, but ",
      end: { type: "agent_error", error: { code: "broken", message: "It broke" } },
    });
  });

  it("runs the tools of a turn once", async () => {
    startWorker();
    const { text, calls, end } = await read(await ask("caller"));
    expect({ text, calls }).toEqual({ text: `First. ${words}`, calls: 1 });
    expect(end).toMatchObject({ ...success(text), message: { actions: [{ toolName: "look" }] } });
  });

  it("runs an invocation to its outcome", async () => {
    startWorker();
    expect(await invoke("add", 10_000, { a: 1, b: 2 })).toMatchObject({
      invocation: { status: "succeeded" },
      outcome: { status: "succeeded", result: 3 },
    });
    const failed = await invoke("add", 10_000, { a: 1, b: "x" });
    expect(failed.outcome).toMatchObject({ status: "errored", error: { code: "threw" } });
  });

  it("runs turns while invocations use their whole capacity", async () => {
    startWorker();
    const begun = Array.from({ length: 12 }, () => invoke("long", 0));
    const [first] = await Promise.all(begun);
    await follow(first!.invocation.sId, "sandbox_function_invocation_log");
    expect((await read(await ask("quick"))).end).toMatchObject(success("You said Hello"));
  });

  it("runs invocations that waited for capacity without waiting for a poll", async () => {
    startWorker();
    const invoked = Array.from({ length: 50 }, (_, a) => invoke("add", 20_000, { a, b: 1 }));
    const results = (await Promise.all(invoked)).map(({ outcome }) => outcome);
    expect(results).toEqual(results.map((_, a) => ({ status: "succeeded", result: a + 1 })));
  });

  it.each(["slow", "caller"])("hands a turn of %s back when it is closed", async (agentId) => {
    const first = startWorker();
    const messageId = await ask(agentId);
    await follow(messageId, "generation_tokens");
    await first.close(0);
    startWorker();
    const { text, reasoning, calls, end } = await read(messageId);
    const expected = agentId === "slow" ? words : `First. ${words}`;
    expect(text).toBe(expected);
    expect(reasoning).toBe(agentId === "slow" ? "Let me think. " : "");
    expect(calls).toBe(agentId === "slow" ? 0 : 1);
    expect(end).toMatchObject(success(expected));
  });

  it("lets a turn end within the grace period", async () => {
    const worker = startWorker();
    const messageId = await ask("slow");
    await follow(messageId, "generation_tokens");
    await worker.close(10_000);
    expect((await read(messageId)).end).toMatchObject(success(words));
  });

  it("holds no run after it was closed, including those of a claim in progress", async () => {
    await ask("long");
    const worker = startWorker();
    await worker.close(0);
    expect(await claimTestTurns(test.core)).toHaveLength(1);
  });

  it("does not run a function again after its worker was closed", async () => {
    const { invocation } = await invoke("long", 0);
    const unbegun = { workerId: "unlucky", logIds: [invocation.sId], begun: false };
    expect(await claimRuns(test.core, { ...unbegun, leaseMs: 60_000, limit: 1 })).toHaveLength(1);
    await handBackRuns(test.core, unbegun);
    const first = startWorker();
    await follow(invocation.sId, "sandbox_function_invocation_log");
    await first.close(0);
    startWorker();
    const events = await follow(invocation.sId);
    expect(events.map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { type: "sandbox_function_invocation_created" },
      { type: "sandbox_function_invocation_log" },
      { type: "sandbox_function_invocation_error", error: { code: "interrupted" } },
    ]);
  });

  it("continues after the published text of a dead worker", async () => {
    const messageId = await ask("slow");
    const [dead] = await claimTestTurns(test.core, -1);
    const guard = { logId: messageId, fence: dead!.run.attempt };
    const token = testToken("word0 word1 wo");
    const reasoning = { ...testToken("Let me think. "), classification: "chain_of_thought" };
    const events = [reasoning as MessageEvent, token];
    await appendEvents(test.core.database.db, [{ logId: messageId, events, guard }], []);
    startWorker();
    const { text, reasoning: thought, end } = await read(messageId);
    expect({ text, thought }).toEqual({ text: words, thought: "Let me think. " });
    expect(end).toMatchObject(success(words));
  });

  it("ends a turn that was taken over too often as interrupted", async () => {
    const messageId = await ask("slow");
    await claimTestTurns(test.core, -1);
    const options = { workerId: "dead", leaseMs: -1, limit: 1 };
    for (let attempt = 2; attempt <= 5; attempt++) await takeOverRuns(test.core, options);
    startWorker();
    expect((await read(messageId)).end).toMatchObject({
      type: "agent_error",
      error: { code: "interrupted" },
    });
  });

  it("stops a turn that another worker took over", async () => {
    startWorker();
    const messageId = await ask("long");
    await follow(messageId, "generation_tokens");
    const options = { workerId: "other", leaseMs: -1, limit: 1 };
    // The worker itself may renew it, or take it over, earlier.
    await vi.waitFor(async () => {
      await expireTestLeases(test.core);
      expect(await takeOverRuns(test.core, options)).toHaveLength(1);
    });
    // The worker notices only at its renewal, in minutes: an expired lease is not a death.
    await renewLeases(test.core, { workerId: "held up", leaseMs: 1000, logIds: [messageId] });
    const { text, end } = await read(messageId);
    expect(text).toBe(words);
    expect(end).toMatchObject(success(words));
  });

  it("continues its own turn after the lease expired", async () => {
    startWorker();
    const messageId = await ask("long");
    await follow(messageId, "generation_tokens");
    await expireTestLeases(test.core);
    const { text, end } = await read(messageId);
    expect(text).toBe(words);
    expect(end).toMatchObject(success(words));
  });
});
