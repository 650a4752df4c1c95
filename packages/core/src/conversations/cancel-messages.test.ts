import { messages, runs } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  expireTestLeases,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
  readTestLog,
  testOutcome,
  testToken,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { appendEvents, isTerminal } from "../log/append.ts";
import type { Hint } from "../log/bus.ts";
import { readLogEnd } from "../log/read-log.ts";
import { inTransaction } from "../log/transaction.ts";
import { renewLeases } from "../runs/leases.ts";
import { finishTurns } from "../turns/finish-turns.ts";
import { saveStep } from "../turns/save-step.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import { cancelMessages } from "./cancel-messages.ts";
import { getConversation } from "./conversation-content.ts";

const agentIds = ["ann", "bob", "cat", "dan"];
type Claimed = Awaited<ReturnType<typeof claimTestTurns>>[number];

describe("cancelMessages", () => {
  const test = workspaceTest({ per: "suite", agents: agentIds });
  let foreign: CoreContext;
  beforeAll(async () => {
    foreign = await openTestContext(test.core, await insertTestWorkspace(test.core));
  });

  const db = () => test.core.database.db;
  const ask = async (...sids: string[]) => {
    const { conversation } = await createTestConversation(test.context, sids);
    const ids = conversation.content.flat().map((message) => message.sId);
    return { cId: conversation.sId, mIds: ids.slice(1), asked: ids[0]! };
  };
  const cancel = (cId: string, messageIds: readonly string[]) =>
    cancelMessages(test.context, { cId, messageIds });
  const publish = ({ run }: Claimed, events: MessageEvent[]) =>
    inTransaction(test.core, async ({ db: tx, afterCommit }) => {
      const guard = { logId: run.logId, fence: run.attempt };
      return appendEvents(tx, [{ logId: run.logId, events, guard }], afterCommit);
    });
  const finish = (...claimed: Claimed[]) =>
    finishTurns(
      test.core,
      claimed.map((one) => ({
        ...one,
        outcome: testOutcome(`answer of ${one.turn.agent.sid}`),
        events: [testToken(`answer of ${one.turn.agent.sid}`)],
        actions: [],
      })),
    );
  const rowOf = async (sid: string) =>
    (await db().select().from(messages).where(eq(messages.sid, sid)))[0];
  const statusesOfRuns = async () =>
    (await db().select().from(runs).orderBy(runs.id)).map((row) => row.status);
  const doneEvents = async (cId: string) =>
    (await readTestLog(test.core, cId)).filter((event) => event.type === "agent_message_done");

  it("ends a message that nobody has claimed, and nobody claims it any more", async () => {
    const { cId, mIds } = await ask("ann");
    test.clock.now += 1000;
    expect(await cancel(cId, mIds)).toEqual({ success: true });
    expect(await rowOf(mIds[0]!)).toMatchObject({
      status: "cancelled",
      content: "",
      chainOfThought: null,
      rawContents: [],
      error: null,
      finishedAt: test.clock.now,
    });
    expect(await readTestLog(test.core, mIds[0]!)).toMatchObject([
      { type: "agent_generation_cancelled", configurationId: "ann", messageId: mIds[0] },
    ]);
    expect(await doneEvents(cId)).toMatchObject([{ messageId: mIds[0], status: "error" }]);
    expect((await readLogEnd(db(), mIds[0]!)).closed).toBe(true);
    expect((await readLogEnd(db(), cId)).closed).toBe(false);
    expect(await claimTestTurns(test.core)).toEqual([]);
    expect(await statusesOfRuns()).toEqual(["finished"]);
  });

  it("keeps what a running message has published, step by step, with its reasoning", async () => {
    const { cId, mIds } = await ask("ann");
    const [claimed] = await claimTestTurns(test.core);
    const token = (step: number, text: string, classification = "tokens") =>
      ({ ...testToken(text), step, classification }) as MessageEvent;
    await publish(claimed!, [
      token(0, "<think>", "opening_delimiter"),
      token(0, "Hm. ", "chain_of_thought"),
      token(0, "</think>", "closing_delimiter"),
      token(0, "One, "),
      token(0, "two, "),
      token(1, "So.", "chain_of_thought"),
      token(1, "three"),
    ]);
    await cancel(cId, mIds);
    const { conversation } = await getConversation(test.context, { cId });
    expect(conversation.content[1]).toMatchObject([
      {
        status: "cancelled",
        content: "One, two, three",
        chainOfThought: "Hm. So.",
        rawContents: [
          { step: 0, content: "One, two, " },
          { step: 1, content: "three" },
        ],
        error: null,
      },
    ]);
    expect((await readTestLog(test.core, mIds[0]!)).at(-1)).toMatchObject({
      type: "agent_generation_cancelled",
      step: 1,
    });
  });

  it("lets the worker that ran the message write nothing more", async () => {
    const { cId, mIds } = await ask("ann");
    const [claimed] = await claimTestTurns(test.core);
    await publish(claimed!, [testToken("Well, ")]);
    await cancel(cId, mIds);
    const log = await readTestLog(test.core, mIds[0]!);
    const row = await rowOf(mIds[0]!);
    expect(await publish(claimed!, [testToken("late")])).toEqual(new Map());
    const call = { id: "c", name: "f", params: {}, output: "", isError: false, durationMs: 1 };
    const late = { step: 0, calls: [call], events: [], rawContents: [], chainOfThought: null };
    await expect(saveStep(test.core, { ...claimed!, ...late })).rejects.toThrow("no longer holds");
    expect(await finish(claimed!)).toEqual(new Set());
    await expireTestLeases(test.core);
    const options = { workerId: "other", leaseMs: 60_000, limit: 10 };
    expect(await takeOverRuns(test.core, options)).toEqual([]);
    expect(await renewLeases(test.core, { ...options, logIds: mIds })).toEqual(new Set());
    expect(await readTestLog(test.core, mIds[0]!)).toEqual(log);
    expect(await rowOf(mIds[0]!)).toEqual(row);
    expect(await doneEvents(cId)).toHaveLength(1);
  });

  it("changes nothing the second time, nor after the message has ended", async () => {
    const { cId, mIds } = await ask("ann", "bob");
    await cancel(cId, [mIds[0]!]);
    await answerTestTurns(test.core, "Done");
    const state = async () => ({
      log: await readTestLog(test.core, cId),
      rows: await db().select().from(messages).orderBy(messages.rank),
    });
    const before = await state();
    test.clock.now += 1000;
    expect(await cancel(cId, [...mIds, ...mIds])).toEqual({ success: true });
    expect(await state()).toEqual(before);
  });

  it("leaves alone what is not a running answer of the conversation, and ends the others", async () => {
    const { cId, mIds, asked } = await ask("ann", "bob", "cat");
    const other = await ask("ann");
    const [ann, bob, cat] = mIds;
    await cancel(cId, ["unknown", asked, other.mIds[0]!, cat!, ann!, cat!]);
    expect((await rowOf(bob!))?.status).toBe("created");
    expect((await rowOf(other.mIds[0]!))?.status).toBe("created");
    const done = new Set((await doneEvents(cId)).map((event) => event.messageId));
    expect(done).toEqual(new Set([ann, cat]));
    expect(await statusesOfRuns()).toEqual(["finished", "waiting", "finished", "waiting"]);
    expect(await refusalOf(cancel("unknown", mIds))).toBe("404 conversation_not_found");
    const byStranger = cancelMessages(foreign, { cId, messageIds: mIds });
    expect(await refusalOf(byStranger)).toBe("404 conversation_not_found");
    expect((await rowOf(bob!))?.status).toBe("created");
  });

  it("tells the workers what has ended, and lets the next turn of its ordering key run", async () => {
    const { cId, mIds } = await ask("ann");
    await claimTestTurns(test.core);
    const posted = await postTestMessage(test.context, cId, { agentIds: ["ann"] });
    expect(await claimTestTurns(test.core)).toEqual([]);
    const hints: Hint[] = [];
    const unsubscribe = test.core.bus.subscribe("runs", (hint) => hints.push(hint));
    await cancel(cId, mIds);
    unsubscribe();
    expect(hints).toEqual([{ topic: "runs", cause: "ended", logIds: mIds }]);
    const next = await claimTestTurns(test.core);
    expect(next.map(({ run }) => run.logId)).toEqual([posted.agentMessages[0]!.sId]);
  });

  it("ends each message once, with 40 rounds of workers that finish and renew in the meantime", async () => {
    for (let round = 0; round < 40; round++) {
      const { cId, mIds } = await ask(...agentIds);
      const claimed = await claimTestTurns(test.core);
      const reversed = claimed.toReversed();
      const options = { workerId: "test", leaseMs: 60_000 };
      const logIds = reversed.map(({ run }) => run.logId);
      const [, byWorkers] = await Promise.all([
        cancel(cId, round % 2 === 0 ? mIds : mIds.toReversed()),
        finish(...(round % 3 === 0 ? claimed : reversed)),
        finish(...reversed.slice(1)),
        renewLeases(test.core, { ...options, logIds }),
        ...claimed.map((one) => publish(one, [testToken("x")])),
        cancel(cId, mIds.slice(2)),
      ]);
      for (const mId of mIds) {
        const types = (await readTestLog(test.core, mId)).map((event) => event.type);
        const ends = types.filter(isTerminal);
        expect(ends).toHaveLength(1);
        expect(types.at(-1)).toBe(ends[0]);
        const status = (await rowOf(mId))?.status;
        expect(`${status} ${ends[0]}`).toBeOneOf([
          "cancelled agent_generation_cancelled",
          "succeeded agent_message_success",
        ]);
        expect(byWorkers.has(mId) ? status : "succeeded").toBe("succeeded");
      }
      const done = (await doneEvents(cId)).map((event) => event.messageId);
      expect(done.toSorted()).toEqual(mIds.toSorted());
    }
    expect(new Set(await statusesOfRuns())).toEqual(new Set(["finished"]));
  });
});
