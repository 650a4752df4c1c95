import { randomBytes } from "node:crypto";
import { actions, messages, statement } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  claimTestTurns,
  createTestConversation,
  insertTestWorkspace,
  postTestMessage,
  testOutcome,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import { finishTurns } from "./finish-turns.ts";
import { claimedTurnColumns, type Turn } from "./load-turns.ts";
import { readCallResult } from "./read-call-result.ts";
import { saveStep } from "./save-step.ts";

describe("the calls of earlier answers", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob"] });
  const took = { inputTokens: 1, outputTokens: 1, durationMs: 1 };

  const call = (output: string, params = {}) => ({
    id: "call_0",
    name: "look",
    params,
    output,
    isError: false,
    durationMs: 1,
  });
  /** Ends the waiting turns, each with a step of these calls, and without any if there are none. */
  const answer = async (calls: readonly ReturnType<typeof call>[] = []): Promise<void> => {
    for (const claimed of await claimTestTurns(test.core)) {
      const contents = calls.length === 0 ? [] : [{ step: 0, content: "I look. " }];
      const steps = contents.map(({ step }) => ({ ...took, step, replay: { signature: "s" } }));
      const saved =
        calls.length === 0
          ? []
          : (
              await saveStep(test.core, {
                ...claimed,
                step: 0,
                calls,
                events: [],
                rawContents: contents,
                chainOfThought: null,
                steps,
              })
            ).rows;
      const last = { step: contents.length, content: "Done" };
      const rawContents = [...contents, last];
      const content = rawContents.map((one) => one.content).join("");
      const outcome = {
        ...testOutcome(content),
        rawContents,
        steps: [...steps, { ...took, ...last }],
      };
      await finishTurns(test.core, [{ ...claimed, outcome, events: [], actions: saved }]);
    }
  };
  const ask = async (agentIds = ["ann"]) => {
    const { conversation } = await createTestConversation(test.context, agentIds);
    return conversation.sId;
  };
  const nextTurns = async (cId: string, agentIds = ["ann"]): Promise<Turn[]> => {
    await postTestMessage(test.context, cId, { agentIds });
    return (await claimTestTurns(test.core)).map(({ turn }) => turn);
  };
  const calledOf = (turn: Turn | undefined) =>
    turn?.history.flatMap(({ called }) => called ?? []) ?? [];

  it("come with the claim, step by step, with the replays and who gave them", async () => {
    const cId = await ask();
    await answer([call("Rain", { city: "Ulm" }), call("Sun")]);
    await postTestMessage(test.context, cId, { agentIds: ["ann"] });
    const [claimed] = await claimTestTurns(test.core);
    expect(claimed?.run.subject).not.toBeNull();
    const turn = claimed?.turn;
    expect(turn?.history.map(({ content }) => content)).toEqual(["Hello", "I look. Done", "And?"]);
    const shared = {
      id: "call_0",
      name: "look",
      step: 0,
      isOpen: false,
      cutParams: null,
      cutOutput: null,
      files: null,
    };
    const { providerId, modelId } = turn!.agent;
    expect(calledOf(turn)).toEqual([
      {
        calls: [
          { ...shared, params: { city: "Ulm" }, output: [{ type: "text", text: "Rain" }] },
          { ...shared, params: {}, output: [{ type: "text", text: "Sun" }] },
        ],
        contents: [
          { step: 0, content: "I look. " },
          { step: 1, content: "Done" },
        ],
        replays: [{ step: 0, replay: { signature: "s" }, model: { providerId, modelId } }],
      },
    ]);
  });

  it("are those of the agent's own answers, each in its newest version", async () => {
    const cId = await ask(["bob", "ann"]);
    await answer([call("Old")]);
    const [, bobs] = await test.core.database.db
      .select()
      .from(messages)
      .where(eq(messages.type, "agent_message"))
      .orderBy(messages.rank);
    await retryMessage(test.context, { cId, mId: bobs!.sid });
    await answer([call("New")]);
    const turns = await nextTurns(cId, ["ann", "bob"]);
    const outputs = turns.map((turn) => [
      turn.agent.sid,
      calledOf(turn).flatMap(({ calls }) => calls.map(({ output }) => output)),
    ]);
    const text = (value: string) => [[{ type: "text", text: value }]];
    expect(new Map(outputs as [string, unknown][])).toEqual(
      new Map([
        ["bob", text("Old")],
        ["ann", text("New")],
      ]),
    );
  });

  it("have open ones that say so, and none of a message that is not shown", async () => {
    const cId = await ask();
    await answer([call("Rain"), call("Sun")]);
    const { db } = test.core.database;
    await db
      .update(actions)
      .set({ status: "running", output: null })
      .where(eq(actions.position, 1));
    const [turn] = await nextTurns(cId);
    expect(calledOf(turn)[0]?.calls.map(({ isOpen }) => isOpen)).toEqual([false, true]);
    await cancelMessages(test.context, { cId, messageIds: [turn!.message.sid] });
    await db
      .update(messages)
      .set({ visibility: "deleted" })
      .where(eq(messages.sid, turn!.history[1]!.sid));
    expect(calledOf((await nextTurns(cId))[0])).toEqual([]);
  });

  it("are cut in the middle if they are long, and can be read whole in their conversation only", async () => {
    const long = "\u{1F600}abc".repeat(5000);
    const cId = await ask();
    await answer([call(long, { text: "y".repeat(20_000) }), call("z".repeat(10_000))]);
    const [turn] = await nextTurns(cId);
    const [first, second] = calledOf(turn)[0]!.calls;
    const letters = Array.from(long);
    expect(first).toMatchObject({
      params: null,
      cutParams: { head: expect.stringMatching(/^\{"text": "y{5990}$/), characters: 20_012 },
      output: null,
      cutOutput: {
        head: letters.slice(0, 6000).join(""),
        tail: letters.slice(-2000).join(""),
        characters: 20_000,
      },
    });
    const whole = "z".repeat(10_000);
    expect(second).toMatchObject({ cutOutput: { head: whole, tail: "", characters: 10_000 } });
    const place = { answerId: turn!.history[1]!.sid, step: 0, position: 0 };
    expect(await readCallResult(test.core, turn!, place)).toBe(long);
    const nowhere = [
      { ...place, position: 2 },
      { ...place, answerId: turn!.message.sid },
    ];
    for (const one of nowhere) expect(await readCallResult(test.core, turn!, one)).toBeUndefined();
    await cancelMessages(test.context, { cId, messageIds: [turn!.message.sid] });
    const [other] = await nextTurns(await ask());
    expect(await readCallResult(test.core, other!, place)).toBeUndefined();
    const { id: workspaceId } = await insertTestWorkspace(test.core);
    const foreign = { message: { ...turn!.message, workspaceId } };
    expect(await readCallResult(test.core, foreign, place)).toBeUndefined();
  });

  it("count among the bytes of a history, of which the newest fit", async () => {
    const cId = await ask();
    for (let count = 0; count < 3; count++) {
      await answer(Array.from({ length: 50 }, () => call(randomBytes(5000).toString("hex"))));
      await postTestMessage(test.context, cId, { agentIds: ["ann"] });
    }
    const [claimed] = await claimTestTurns(test.core);
    expect(claimed?.run.subject).toBeNull();
    // The model takes 1.2 MB at most, and each answer has half a megabyte.
    expect(claimed?.turn.history.map(({ called }) => called?.calls.length ?? 0)).toEqual([
      0, 50, 0, 50, 0,
    ]);
  });

  it("are left out of a claim without a look into their large values", async () => {
    const cId = await ask();
    await answer(Array.from({ length: 20 }, () => call(randomBytes(90_000).toString("hex"))));
    const [turn] = await nextTurns(cId);
    const claim = sql`
      explain (analyze, buffers, format json)
      select (${claimedTurnColumns}) from (select ${turn!.message.sid}::text as log_id) claimed`;
    const [row] = await statement<{}, { "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
      "explain_earlier_calls",
      claim,
    ).execute(test.core.database.db, {});
    const plan = row!["QUERY PLAN"][0].Plan;
    expect(plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]!).toBeLessThan(150);
  });
});
