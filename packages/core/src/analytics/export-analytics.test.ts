import { actions, conversationSummaries, messages } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
} from "../../testing/testing.ts";
import { getConsumption } from "../conversations/consumption.ts";
import { giveFeedback } from "../conversations/feedbacks.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { exportAnalytics } from "./export-analytics.ts";

type Query = Partial<InputOf<(typeof endpoints)["analytics.export"]>>;

const DAY_MS = 24 * 60 * 60 * 1000;
const started = Date.UTC(2030, 0, 1, 23, 30);

describe("the use of a workspace", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  let context: CoreContext;
  let admin: CoreContext;
  beforeEach(async () => {
    await clearRuns(test.core);
    test.clock.now = started;
    workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace);
    admin = await openTestContext(test.core, workspace, "admin");
    for (const sid of ["ann", "bob"]) await insertTestAgent(test.core, workspace, { sid });
  });

  /** Ends the waiting answers, each with two steps of these tokens. */
  const answer = async (inputTokens: number | null) => {
    for (const { message } of await answerTestTurns(test.core)) {
      const steps = [0, 1].map((step) => ({
        step,
        inputTokens,
        outputTokens: 5,
        // Steps of before, and of providers without a cache, have none.
        ...(inputTokens !== null && {
          cachedInputTokens: 80,
          cacheWriteTokens: 10,
          reasoningTokens: 2,
        }),
        durationMs: 10.4,
      }));
      await test.core.database.db
        .update(messages)
        .set({ steps })
        .where(eq(messages.sid, message.sid));
    }
  };
  /** A conversation of two days, with answers of both agents. */
  const converse = async (body = {}) => {
    const { conversation } = await createTestConversation(context, ["ann"], body);
    await answer(100);
    test.clock.now += DAY_MS;
    const posted = await postTestMessage(context, conversation.sId, { agentIds: ["ann", "bob"] });
    await answer(null);
    return { cId: conversation.sId, mId: posted.agentMessages[0]!.sId };
  };
  const read = async (query: Query, by = admin): Promise<string> => {
    const range = { table: "usage_metrics", startDate: "2030-01-01", endDate: "2030-01-31" };
    const raw = { wId: workspace.sid, ...range, ...query };
    const file = await exportAnalytics(by, parseInput(endpoints["analytics.export"], raw));
    const [bytes] = await Array.fromAsync(file.read(0, file.sizeBytes));
    return new TextDecoder().decode(bytes);
  };
  const rows = async (query: Query, by = admin) =>
    JSON.parse(await read({ format: "json", ...query }, by)) as Record<string, unknown>[];

  it("is exported by day, in a time zone", async () => {
    await converse();
    const [columns, ...lines] = (await read({})).split("\r\n");
    expect(columns).toBe(
      "date,conversations,users,messages,answers,failedAnswers,steps,inputTokens,outputTokens," +
        "modelDurationMs,toolCalls,toolDurationMs," +
        "cachedInputTokens,cacheWriteTokens,reasoningTokens",
    );
    expect(lines).toEqual([
      "2030-01-01,1,1,1,1,0,2,200,10,21,0,0,160,20,4",
      "2030-01-02,1,1,1,2,0,4,0,20,42,0,0,0,0,0",
      "",
    ]);
    const days = async (query: Query) => (await rows(query)).map(({ date }) => date);
    expect(await days({ timezone: "Europe/Paris" })).toEqual(["2030-01-02", "2030-01-03"]);
    expect(await days({ endDate: "2030-01-01" })).toEqual(["2030-01-01"]);
    expect(await days({ endDate: "2030-01-01", timezone: "Europe/Paris" })).toEqual([]);
    expect(await rows({ table: "active_users" })).toEqual([
      { date: "2030-01-01", activeUsers: 1 },
      { date: "2030-01-02", activeUsers: 1 },
    ]);
  });

  it("is exported by agent, user and model, and not of another workspace", async () => {
    await converse();
    expect(await rows({ table: "agents" })).toMatchObject([
      { agentId: "ann", agentName: "ann", answers: 2, conversations: 1, inputTokens: 200 },
      { agentId: "bob", answers: 1, steps: 2 },
    ]);
    const { sid: userId } = context.caller.user;
    expect(await rows({ table: "users" })).toMatchObject([{ userId, messages: 2, answers: 3 }]);
    expect(await rows({ table: "models" })).toMatchObject([
      { providerId: "simulated", modelId: "simulated-1", answers: 3 },
    ]);
    expect(await rows({ table: "tool_usage" })).toEqual([]);
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core), "admin");
    expect(await rows({ table: "agents" }, other)).toEqual([]);
  });

  it("counts each step, its tokens and its calls for the model that answered it", async () => {
    const { conversation } = await createTestConversation(context, ["ann"]);
    const [turn] = await answerTestTurns(test.core);
    const other = { providerId: "openai", modelId: "gpt-5" };
    const took = (step: number, inputTokens: number) => {
      return { step, inputTokens, outputTokens: 1, durationMs: 10 };
    };
    // A model that gave way counts if its calls were billed.
    const down = { providerId: "xai", modelId: "grok-4" };
    const passedOver = [
      { model: down, reason: "provider_unavailable", inputTokens: 3, outputTokens: 1 },
      { model: { ...down, modelId: "not billed" }, reason: "circuit_open" },
    ];
    const steps = [
      took(0, 5),
      { ...took(1, 70), model: other, passedOver },
      { ...took(2, 800), model: other },
    ];
    const ofAnswer = eq(messages.sid, turn!.message.sid);
    await test.core.database.db.update(messages).set({ steps }).where(ofAnswer);
    const call = { messageId: turn!.message.id, toolName: "t", functionCallName: "t" };
    await test.core.database.db.insert(actions).values(
      [0, 1, 1].map((step, position) => ({
        ...call,
        sid: `act_${position}`,
        functionCallId: `c${position}`,
        step,
        position,
        params: {},
        status: "succeeded",
        executionDurationMs: 7,
        createdAt: 0,
        updatedAt: 0,
      })),
    );
    const own = { providerId: "simulated", modelId: "simulated-1" };
    const ofOwn = { ...own, steps: 1, inputTokens: 5, outputTokens: 1, toolCalls: 1 };
    const ofDown = { ...down, steps: 0, inputTokens: 3, outputTokens: 1, toolCalls: 0 };
    const ofOther = { ...other, steps: 2, inputTokens: 870, outputTokens: 2, toolCalls: 2 };
    expect(await rows({ table: "models" })).toMatchObject([
      { ...ofOther, answers: 1 },
      { ...ofOwn, answers: 0 },
      { ...ofDown, answers: 0 },
    ]);
    const sums = { answers: 1, steps: 3, inputTokens: 878, outputTokens: 4, toolCalls: 3 };
    expect(await rows({})).toMatchObject([sums]);
    expect(await rows({ table: "agents" })).toMatchObject([sums]);
    const raw = { wId: workspace.sid, cId: conversation.sId };
    const input = parseInput(endpoints["conversations.getConsumption"], raw);
    const consumed = await getConsumption(context, input);
    expect(endpoints["conversations.getConsumption"].output.parse(consumed)).toEqual(consumed);
    expect(consumed).toMatchObject({
      total: sums,
      agents: [sums],
      models: [ofOther, ofOwn, ofDown],
      messages: [{ ...other, steps: 3, inputTokens: 878, fallbacks: [{ ...other, steps: 2 }] }],
    });
  });

  it("counts the calls of summaries, also of those that failed, apart and in the sums", async () => {
    const { conversation } = await createTestConversation(context, ["ann"]);
    const [turn] = await answerTestTurns(test.core);
    const { message, agent } = turn!;
    const other = { providerId: "openai", modelId: "gpt-5" };
    const took = {
      step: 0,
      inputTokens: 300,
      outputTokens: 20,
      cachedInputTokens: 40,
      durationMs: 9,
    };
    const summary = {
      workspaceId: workspace.id,
      answerId: message.sid,
      agentId: agent.id,
      ...other,
    };
    const given = [
      { status: "failed", steps: [took] },
      { status: "active", steps: [took, { ...took, step: 1, inputTokens: null }] },
    ] as const;
    await test.core.database.db.insert(conversationSummaries).values(
      given.map(({ status, steps }, index) => ({
        ...summary,
        sid: `sum_${index}`,
        conversationId: conversation.id,
        number: index + 1,
        status,
        steps: [...steps],
        createdAt: 0,
      })),
    );
    const sums = { steps: 3, inputTokens: 600, outputTokens: 60, cachedInputTokens: 120 };
    const raw = { wId: workspace.sid, cId: conversation.sId };
    const input = parseInput(endpoints["conversations.getConsumption"], raw);
    const consumed = await getConsumption(context, input);
    expect(endpoints["conversations.getConsumption"].output.parse(consumed)).toEqual(consumed);
    expect(consumed).toMatchObject({
      total: { answers: 1, ...sums, modelDurationMs: 27 },
      summaries: { summaries: 2, ...sums, toolCalls: 0 },
      agents: [{ answers: 1, ...sums }],
      models: [
        { ...other, answers: 0, ...sums },
        { providerId: "simulated", answers: 1, steps: 0 },
      ],
      messages: [{ messageId: message.sid, steps: 0, inputTokens: 0 }],
    });
    // The day, the user and the agent are those of the answer.
    expect(await rows({})).toMatchObject([{ messages: 1, answers: 1, ...sums }]);
    expect(await rows({ table: "agents" })).toMatchObject([
      { agentId: "ann", answers: 1, ...sums },
    ]);
    expect(await rows({ table: "users" })).toMatchObject([{ messages: 1, answers: 1, ...sums }]);
    expect(await rows({ table: "models" })).toMatchObject([{ ...other, answers: 0, ...sums }, {}]);
  });

  it("has feedback of the conversations that the key reaches", async () => {
    const operator = openTestOperator(test.core);
    const keyIds = [context.caller.apiKey.sid];
    const space = { wId: workspace.sid, name: "S", isRestricted: true, keyIds };
    const { sId: spaceId } = (await operator.createSpace(space)).space;
    for (const body of [{}, { spaceId }]) {
      const named = { wId: workspace.sid, ...(await converse(body)), thumbDirection: "down" };
      await giveFeedback(context, parseInput(endpoints["feedbacks.give"], named));
    }
    expect(await rows({ table: "feedback" })).toMatchObject([
      { agentId: "ann", thumbDirection: "down", content: null },
    ]);
    expect(await rows({ table: "feedback" }, context)).toHaveLength(2);
  });

  it("is exported for a year at most", async () => {
    const refusal = (query: Query) => refusalOf(read(query));
    expect(await refusal({ endDate: "2031-01-01" })).toBe("accepted");
    expect(await refusal({ endDate: "2031-01-02" })).toBe("400 invalid_request_error");
    expect(await refusal({ endDate: "2029-12-31" })).toBe("400 invalid_request_error");
  });

  it("is read of one conversation, by agent, model and answer", async () => {
    const { cId } = await converse();
    const ask = (query: object) => {
      const raw = { wId: workspace.sid, cId, ...query };
      return getConsumption(context, parseInput(endpoints["conversations.getConsumption"], raw));
    };
    const all = await ask({});
    const sums = {
      steps: 6,
      inputTokens: 200,
      outputTokens: 30,
      cachedInputTokens: 160,
      cacheWriteTokens: 20,
      reasoningTokens: 4,
      modelDurationMs: 63,
      toolCalls: 0,
    };
    expect(endpoints["conversations.getConsumption"].output.parse(all)).toEqual(all);
    expect(all).toMatchObject({
      total: { answers: 3, ...sums },
      agents: [
        { agentConfigurationId: "ann", answers: 2 },
        { agentConfigurationId: "bob", answers: 1, inputTokens: 0, cachedInputTokens: 0 },
      ],
      models: [{ providerId: "simulated", modelId: "simulated-1", answers: 3, ...sums }],
      hasMore: false,
    });
    const first = await ask({ limit: 2 });
    const rest = await ask({ limit: 2, lastValue: first.lastValue });
    expect([...first.messages, ...rest.messages]).toEqual(all.messages);
    expect([first.hasMore, rest.hasMore]).toEqual([true, false]);
    const { conversation } = await createTestConversation(context, []);
    expect(await ask({ cId: conversation.sId })).toMatchObject({
      total: { answers: 0, steps: 0 },
      agents: [],
      messages: [],
    });
  });
});
