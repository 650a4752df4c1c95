import { type FakeService, startFakeService } from "@parley/agent/testing";
import {
  cancelMessages,
  type Context,
  followLog,
  settleLostUsage,
  updateWorkspace,
} from "@parley/core";
import {
  countTestReservations,
  createTestConversation,
  getConsumption,
  getConversation,
  insertTestAgent,
  insertTestBudget,
  insertTestPrice,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  readTestUsage,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { pino } from "pino";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "../config.ts";
import { createWorker } from "../worker.ts";

const model = { providerId: "openai_compatible", modelId: "llama" };
const simulated = { providerId: "simulated", modelId: "simulated-1" };
/** 100 tokens of prompt for a dollar a million, and 20 written for ten. */
const COST = 300_000n;

describe("metered turns", () => {
  let test: TestCore;
  let context: Context;
  let service: FakeService;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 60_000 });
    return () => test.close();
  });
  beforeEach(async () => {
    const workspace = await insertTestWorkspace(test.core);
    const admin = await openTestContext(test.core, workspace);
    const change = { wId: workspace.sid, models: [model, simulated] };
    await updateWorkspace(admin, parseInput(endpoints["workspaces.update"], change));
    await insertTestAgent(test.core, workspace, { sid: "ann", ...model });
    context = await openTestContext(test.core, workspace, "admin");
    service = await startFakeService({
      script: { steps: [{ text: "Here I am" }], tokenDelayMs: 0 },
    });
    service.counts = { input: 100, output: 20, cached: 0, reasoning: 0 };
    onTestFinished(service.close);
  });

  const workspaceId = () => context.caller.workspace.id;
  const setPrice = async () => insertTestPrice(test.core, workspaceId(), model);
  const setBudget = async (limit: bigint, changes = {}) =>
    insertTestBudget(test.core, workspaceId(), { limit, isHard: true, ...changes });
  const startWorker = (settings = {}) => {
    const url = { PARLEY_OPENAI_COMPATIBLE_URL: `${service.url}/v1` };
    const worker = createWorker({
      core: test.core,
      settings: WorkerSettings.parse({ ...url, ...settings }),
      logger: pino({ level: "silent" }),
    });
    worker.start();
    onTestFinished(() => worker.close(0));
    return worker;
  };
  const create = async () => {
    const { conversation } = await createTestConversation(context, ["ann"]);
    return { cId: conversation.sId, mId: conversation.content.at(-1)![0]!.sId };
  };
  const until = async (logId: string, ...types: string[]) => {
    const { signal } = new AbortController();
    for await (const events of followLog(test.core, { logId, after: 0, signal })) {
      if (events.some((event) => types.includes(event.type))) break;
    }
    return (await readTestLog(test.core, logId)).at(-1)!;
  };
  const answered = async (mId: string) => until(mId, "agent_message_success", "agent_error");
  const entries = async () => {
    const rows = await readTestUsage(test.core, workspaceId());
    return rows.map(({ origin, attempt, amount, isEstimated, inputTokens }) => {
      return { origin, attempt, amount, isEstimated, inputTokens };
    });
  };
  const reservations = async () => countTestReservations(test.core, workspaceId());
  const billed = {
    origin: "answer",
    attempt: 1,
    amount: COST,
    isEstimated: false,
    inputTokens: 100,
  };

  it("bills each step with its tools, its key and its user, in the commit of its result", async () => {
    await setPrice();
    const toolCalls = [{ name: "look", params: {} }];
    service.script = { steps: [{ text: "", toolCalls }, { text: "A lake" }], tokenDelayMs: 0 };
    startWorker();
    const { cId, mId } = await create();
    await answered(mId);
    const rows = await readTestUsage(test.core, workspaceId());
    const { apiKey, user } = context.caller;
    const of = { ...model, apiKeyId: apiKey.id, userId: user.id, agentId: "ann", amount: COST };
    expect(rows).toMatchObject([
      { ...of, step: 0, tools: ["look"] },
      { ...of, step: 1, tools: [] },
    ]);
    const { messages: answers } = await getConsumption(context, {
      cId,
      limit: 10,
      lastValue: undefined,
    });
    expect(answers).toMatchObject([{ cost: { amount: "0.0006", unpricedCalls: 0 } }]);
    expect(service.requests[0]?.body).not.toHaveProperty("max_tokens");
  });

  it("bills a title apart", async () => {
    await setPrice();
    const title = { PARLEY_TITLE_MODEL: "openai_compatible/llama" };
    const worker = startWorker(title);
    const { cId, mId } = await create();
    await answered(mId);
    await until(cId, "conversation_title");
    await worker.close(0);
    expect(await entries()).toEqual(
      expect.arrayContaining([billed, { ...billed, origin: "title" }]),
    );
  });

  it("lets a model write as much as a budget has left, and then refuses what it was not asked", async () => {
    await setPrice();
    // Enough for two calls as they are counted, and for the second one less than it may write.
    await setBudget(20_000_000n);
    startWorker();
    await answered((await create()).mId);
    const second = await create();
    await answered(second.mId);
    const [first, next] = service.requests.map(({ body }) => Number(body["max_tokens"]));
    expect(first).toBeGreaterThan(1900);
    // The first has cost 300,000 nano-dollars, which are 30 tokens less to write.
    expect(next).toBe(first! - 30);
    expect(await entries()).toEqual([billed, billed]);
    expect(await reservations()).toBe(0);
    await setBudget(5000n, { scope: "agent", subject: "ann" });
    const third = await create();
    expect(await answered(third.mId)).toMatchObject({
      type: "agent_error",
      error: {
        code: "budget_exceeded",
        message: expect.stringMatching(
          /^The budget of this agent is used up; its period ends at 2\d{3}-\d\d-01T00:00:00.000Z/,
        ) as string,
      },
    });
    expect(service.requests).toHaveLength(2);
  });

  it("ends an answer that a budget cuts off, with its text", async () => {
    await setPrice();
    await setBudget(20_000_000n);
    const cut = (frame: string) =>
      frame.replace(`"finish_reason":"stop"`, `"finish_reason":"length"`);
    service.faults.push({ kind: "rewritten", rewrite: cut });
    startWorker();
    const { cId, mId } = await create();
    expect(await answered(mId)).toMatchObject({ error: { code: "budget_exceeded" } });
    const { conversation } = await getConversation(context, { cId });
    expect(conversation.content.at(-1)).toMatchObject([{ status: "failed", content: "Here I am" }]);
    expect(await entries()).toEqual([billed]);
  });

  it("releases a call that the service refuses, and settles one that breaks in full", async () => {
    await setPrice();
    await setBudget(1_000_000_000n);
    service.faults.push({ kind: "status", status: 503 }, { kind: "cut", afterFrames: 0 });
    startWorker();
    await answered((await create()).mId);
    expect(service.requests).toHaveLength(3);
    const [lost, last, ...further] = await entries();
    expect(lost).toMatchObject({ isEstimated: true, inputTokens: null });
    expect(lost!.amount! > 320_000_000n).toBe(true);
    expect([last, ...further]).toEqual([billed]);
    expect(await reservations()).toBe(0);
  });

  it("does not wait for what its own earlier call has reserved", async () => {
    await setPrice();
    await setBudget(20_000_000n);
    service.faults.push({ kind: "status", status: 503 });
    startWorker();
    expect(await answered((await create()).mId)).toMatchObject({ type: "agent_message_success" });
    expect(await entries()).toEqual([billed]);
  });

  it("waits for what other answers have reserved", async () => {
    await setPrice();
    await setBudget(20_000_000n);
    startWorker();
    const made = await Promise.all([create(), create(), create()]);
    const ends = await Promise.all(made.map(({ mId }) => answered(mId)));
    expect(ends.map(({ type }) => type)).toEqual(Array(3).fill("agent_message_success"));
    expect(await entries()).toEqual([billed, billed, billed]);
  });

  it("settles in full what a cancelled answer and a stopped worker had sent", async () => {
    await setPrice();
    await setBudget(2_000_000_000n);
    service.script = { steps: [{ text: "word ".repeat(5000) }], tokenDelayMs: 5 };
    const worker = startWorker();
    const cancelled = await create();
    await until(cancelled.mId, "generation_tokens");
    await cancelMessages(context, { cId: cancelled.cId, messageIds: [cancelled.mId] });
    const stopped = await create();
    await until(stopped.mId, "generation_tokens");
    await worker.close(0);
    const estimate = { ...billed, inputTokens: null, isEstimated: true };
    const amount = expect.any(BigInt) as bigint;
    expect(await entries()).toEqual([
      { ...estimate, amount },
      { ...estimate, amount },
    ]);
    expect(await reservations()).toBe(0);
    await settleLostUsage({ ...test.core, now: () => test.core.now() + 60_000 });
    expect(await entries()).toHaveLength(2);
  });

  it("asks no model without a price where a hard budget applies", async () => {
    await setBudget(1_000_000_000n);
    startWorker();
    const { mId } = await create();
    const message = expect.stringMatching(/^The budget of the workspace cannot hold/) as string;
    expect(await answered(mId)).toMatchObject({ error: { code: "budget_exceeded", message } });
    expect(service.requests).toEqual([]);
  });

  it("settles a simulated call by its characters, if it has a price and a budget", async () => {
    await insertTestAgent(test.core, context.caller.workspace, { sid: "sim", ...simulated });
    startWorker();
    const ask = async () => {
      const { conversation } = await createTestConversation(context, ["sim"]);
      await answered(conversation.content.at(-1)![0]!.sId);
    };
    await ask();
    await insertTestPrice(test.core, workspaceId(), simulated);
    await setBudget(1_000_000_000n);
    await ask();
    const [only, ...others] = await entries();
    expect(others).toEqual([]);
    expect(only).toMatchObject({ isEstimated: false, attempt: 1 });
    expect(only!.amount! > 0n && only!.amount! < 1_000_000n).toBe(true);
  });

  it("announces a soft budget that is used up, once, and goes on", async () => {
    await setPrice();
    await setBudget(1n, { isHard: false });
    startWorker();
    const budgetsOf = async (mId: string) => {
      await answered(mId);
      return (await readTestLog(test.core, mId)).filter(
        ({ type }) => type === "agent_message_budget",
      );
    };
    expect(await budgetsOf((await create()).mId)).toEqual([]);
    const found = await budgetsOf((await create()).mId);
    expect(found).toMatchObject([{ step: 0, budgets: [{ scope: "workspace" }] }]);
    expect(await budgetsOf((await create()).mId)).toEqual([]);
    expect(await entries()).toEqual([billed, billed, billed]);
  });
});
