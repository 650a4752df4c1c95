import { messages, openPostgres, runs } from "@parley/db";
import { createTemporaryDatabase } from "@parley/db/testing";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  claimTestTurns,
  createTestConversation,
  createTestCore,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  testOutcome,
  testToken,
} from "../../testing/testing.ts";
import { tapPostgres } from "../../testing/traffic.ts";
import type { Hint } from "../log/bus.ts";
import { readEvents, readLogEnd } from "../log/read-log.ts";
import { type FinishedTurn, finishTurns } from "./finish-turns.ts";
import { takeOverRuns } from "../take-over-runs.ts";

const failure = { code: "broken", message: "It broke", metadata: { tries: 3 } };

describe("finishTurns", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob"] });

  const ask = async (...agentIds: string[]) =>
    (await createTestConversation(test.context, agentIds)).conversation.sId;
  const start = async (leaseMs = 60_000): Promise<FinishedTurn[]> =>
    (await claimTestTurns(test.core, leaseMs)).map(({ run, turn }) => ({
      run,
      turn,
      outcome: testOutcome(`answer of ${turn.agent.sid}`),
      events: [],
      actions: [],
    }));
  const eventsOf = async (logId: string) => {
    const events = await readEvents(test.core.database.db, logId, 0);
    return events.map((event) => JSON.parse(event.payload) as { type: string });
  };
  const messageOf = async ({ turn }: FinishedTurn) => {
    const { db } = test.core.database;
    return (await db.select().from(messages).where(eq(messages.id, turn.message.id)))[0];
  };
  const statusesOfRuns = async () => {
    const rows = await test.core.database.db.select().from(runs).orderBy(runs.id);
    return rows.map((row) => row.status);
  };

  it("ends a turn once, and reports it again after an unacknowledged call", async () => {
    const conversationId = await ask("ann");
    const [turn] = await start();
    const events = [testToken("answer "), testToken("of ann")];
    const finished = { ...turn!, events, lastSeq: turn!.run.lastSeq };
    const { logId } = turn!.run;
    const published: Extract<Hint, { lastSeq: number }>[] = [];
    const stop = test.core.bus.subscribe(`log:${logId}`, (hint) => void published.push(hint));
    const ofConversation: typeof published = [];
    const stopConversation = test.core.bus.subscribe(`log:${conversationId}`, (hint) => {
      ofConversation.push(hint);
    });
    for (let times = 0; times < 2; times++) {
      expect(await finishTurns(test.core, [finished])).toEqual(new Set([logId]));
      // The second call gives its events another time.
      test.clock.now += 1;
    }
    stop();
    stopConversation();
    // The answer of the first call may be lost: the second hint alone must make followers read.
    expect(ofConversation.map(({ lastSeq }) => lastSeq)).toEqual([3, 3]);
    expect(ofConversation[1]).not.toHaveProperty("events");
    const committed = await readEvents(test.core.database.db, logId, 0);
    const carried = published.flatMap((hint) => hint.events ?? []);
    expect(carried.map(({ payload }) => payload)).toEqual(committed.map(({ payload }) => payload));
    expect(published.map(({ lastSeq }) => lastSeq)).toEqual([3, 3]);
    const ofMessage = await eventsOf(turn!.run.logId);
    expect(ofMessage.filter(({ type }) => type === "agent_message_success")).toHaveLength(1);
    const told = await eventsOf(conversationId);
    expect(told.filter(({ type }) => type === "agent_message_done")).toHaveLength(1);
  });

  it("commits the terminal event, message, run and the conversation's event together", async () => {
    const conversationId = await ask("ann");
    const [turn] = await start();
    const finished = { ...turn!, events: [testToken("answer "), testToken("of ann")] };
    expect(await finishTurns(test.core, [finished])).toEqual(new Set([turn!.run.logId]));

    expect(await messageOf(turn!)).toMatchObject({
      status: "succeeded",
      content: "answer of ann",
      rawContents: [{ step: 0, content: "answer of ann" }],
      chainOfThought: null,
      error: null,
    });
    expect(await eventsOf(turn!.run.logId)).toMatchObject([
      { type: "generation_tokens", text: "answer " },
      { type: "generation_tokens", text: "of ann" },
      {
        type: "agent_message_success",
        configurationId: "ann",
        messageId: turn!.run.logId,
        step: 0,
        message: { status: "succeeded", content: "answer of ann", error: null },
      },
    ]);
    const { db } = test.core.database;
    expect(await readLogEnd(db, turn!.run.logId)).toEqual({ lastSeq: 3, closed: true });
    expect((await eventsOf(conversationId)).at(-1)).toMatchObject({
      type: "agent_message_done",
      conversationId,
      messageId: turn!.run.logId,
      status: "success",
    });
    expect((await readLogEnd(db, conversationId)).closed).toBe(false);
    expect(await statusesOfRuns()).toEqual(["finished"]);
  });

  it("ends a turn that failed with its error, and keeps what it said", async () => {
    const conversationId = await ask("ann");
    const [turn] = await start();
    await finishTurns(test.core, [{ ...turn!, outcome: testOutcome("I try, but", failure) }]);
    expect(await messageOf(turn!)).toMatchObject({
      status: "failed",
      content: "I try, but",
      error: failure,
    });
    expect(await eventsOf(turn!.run.logId)).toMatchObject([
      { type: "agent_error", error: failure },
    ]);
    expect((await eventsOf(conversationId)).at(-1)).toMatchObject({ status: "error" });
  });

  it("keeps what a provider said with the run alone, in the statement that ends the turn", async () => {
    const temporary = await createTemporaryDatabase();
    await using tap = await tapPostgres(temporary.url);
    const tapped = createTestCore(await openPostgres({ url: tap.url }));
    const workspace = await insertTestWorkspace(tapped.core);
    for (const sid of ["ann", "bob"]) await insertTestAgent(tapped.core, workspace, { sid });
    const asking = await openTestContext(tapped.core, workspace);
    const { conversation } = await createTestConversation(asking, ["ann", "bob"]);
    const [ann, bob] = (await claimTestTurns(tapped.core)).map(({ run, turn }) => {
      const providerError = { message: "No model `x\u001f`", requestId: "req_1" };
      const outcome = turn.agent.sid === "ann" ? { error: failure, providerError } : {};
      return { run, turn, outcome: { ...testOutcome("Hi"), ...outcome }, events: [], actions: [] };
    });
    tap.clear();
    await finishTurns(tapped.core, [ann!, bob!]);
    expect([...tap.counts]).toEqual([["finish_turns", 1]]);
    const { db } = tapped.core.database;
    const rows = await db.select({ id: runs.logId, said: runs.providerError }).from(runs);
    expect(Object.fromEntries(rows.map(({ id, said }) => [id, said]))).toEqual({
      [ann!.run.logId]: ann!.outcome.providerError,
      [bob!.run.logId]: null,
    });
    const logIds = [ann!.run.logId, conversation.sId];
    const events = await Promise.all(logIds.map((logId) => readEvents(db, logId, 0)));
    expect(JSON.stringify([events, await db.select().from(messages)])).not.toContain("req_1");
    await tapped.close();
    await temporary.drop();
  });

  it("leaves out a turn that another attempt holds, and that one alone", async () => {
    const conversationId = await ask("ann", "bob");
    const [ann, bob] = await start(-1);
    const options = { workerId: "other", leaseMs: 60_000, limit: 1 };
    const [taken] = await takeOverRuns(test.core, options);
    expect(taken?.id).toBe(ann!.run.id);

    expect(await finishTurns(test.core, [ann!, bob!])).toEqual(new Set([bob!.run.logId]));
    expect(await messageOf(ann!)).toMatchObject({ status: "created", content: "" });
    expect(await eventsOf(ann!.run.logId)).toEqual([]);
    expect(await messageOf(bob!)).toMatchObject({ status: "succeeded" });
    expect(await statusesOfRuns()).toEqual(["running", "finished"]);

    const current = { ...ann!, run: taken!, outcome: testOutcome("answer of the other") };
    expect((await finishTurns(test.core, [current])).size).toBe(1);
    expect(await messageOf(ann!)).toMatchObject({ content: "answer of the other" });
    const done = (await eventsOf(conversationId)).filter(
      (event) => event.type === "agent_message_done",
    );
    expect(done).toHaveLength(2);
  });

  it("gives a message one terminal event, however often it is finished", async () => {
    const conversationId = await ask("ann");
    const [turn] = await start();
    const attempts = ["first", "second", "third"].map((content) =>
      finishTurns(test.core, [{ ...turn!, outcome: testOutcome(content) }]),
    );
    const ended = (await Promise.all(attempts)).filter((ids) => ids.size > 0);
    expect(ended).toHaveLength(1);
    expect(await finishTurns(test.core, [turn!])).toEqual(new Set());
    const events = await eventsOf(turn!.run.logId);
    expect(events).toHaveLength(1);
    const row = await messageOf(turn!);
    expect(events).toMatchObject([{ message: { content: row?.content } }]);
    expect(await eventsOf(conversationId)).toHaveLength(3);
  });

  it("lets the next turn of its ordering key run, and wakes the workers for it", async () => {
    await ask("ann");
    const [turn] = await start();
    const { id: _id, ...waiting } = (await test.core.database.db.select().from(runs))[0]!;
    await test.core.database.db
      .insert(runs)
      .values({ ...waiting, logId: await ask(), status: "queued", attempt: 0 });
    const claim = () => claimRuns(test.core, { workerId: "one", leaseMs: 60_000, limit: 5 });
    expect(await claim()).toEqual([]);
    let woken = 0;
    const unsubscribe = test.core.bus.subscribe("runs", () => woken++);
    await finishTurns(test.core, [turn!]);
    unsubscribe();
    expect(woken).toBe(1);
    expect(await claim()).toHaveLength(1);
  });

  it("wakes no workers if nothing waits for it", async () => {
    await ask("ann");
    const [turn] = await start();
    let woken = 0;
    const unsubscribe = test.core.bus.subscribe("runs", () => woken++);
    await finishTurns(test.core, [turn!]);
    unsubscribe();
    expect(woken).toBe(0);
  });
});
