import { conversationSummaries } from "@parley/db";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  createTestConversation,
  expireTestLeases,
  fillTestConversation,
  openTestContext,
  postTestMessage,
  readTestLog,
  readTestRuns,
  readTestSummaries,
} from "../../testing/testing.ts";
import { cancelRun } from "../cancel-run.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { editMessage } from "../conversations/edit-message.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import { LostLease } from "../runs/leases.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import { claimCompactions } from "./claim-compactions.ts";
import { finishCompaction, saveSummary } from "./save-summary.ts";
import { startCompaction } from "./start-compaction.ts";
import { listSummaries, updateSummary } from "./summaries.ts";

const test = workspaceTest({ agents: ["ann"] });
const page = { limit: 20, lastValue: undefined };

/** A conversation of `count` messages with an answer at its end, and that answer. */
async function openConversation(count = 20) {
  const { conversation } = await createTestConversation(test.context, []);
  const cId = conversation.sId;
  const texts = Array.from({ length: count - 1 }, (_, index) => `Message ${index + 1}`);
  await fillTestConversation(test.core, cId, texts);
  await postTestMessage(test.context, cId, { agentIds: ["ann"] });
  const [turn] = await answerTestTurns(test.core);
  return { cId, turn: turn! };
}

type Opened = Awaited<ReturnType<typeof openConversation>>;

const start = (
  { turn: { conversation, message, agent } }: Opened,
  rank = message.rank,
  summarisedTo = message.rank,
) =>
  startCompaction(test.core, {
    summarisedTo,
    workspaceId: test.workspace.id,
    conversationId: conversation.id,
    answerId: message.sid,
    rank,
    agentId: agent.id,
    providerId: agent.providerId,
    modelId: agent.modelId,
    apiKeyId: null,
    userId: null,
    requestId: null,
    traceparent: null,
  });

async function claim() {
  const options = { workerId: "test", leaseMs: 60_000, limit: 10, after: 0 };
  const claimed = await claimCompactions(test.core, {
    ...options,
    held: new Map(),
    perWorkspace: 10,
  });
  return claimed.runs.map((run) => ({ run, compaction: run.subject! }));
}

const saved = (toRank: number, fromRank = 0) => ({
  fromRank,
  toRank,
  contains: undefined,
  progress: { text: "So far", rank: toRank + 1, offset: 0, bytes: 1000 },
  carried: [{ kind: "id" as const, text: "AB-1234" }],
  steps: [{ step: 0, inputTokens: 70, outputTokens: 7, durationMs: 1 }],
});

/** Summarises the messages up to a position. */
async function summarise(opened: Opened, toRank: number, text = "In short") {
  await start(opened);
  const [claimed] = await claim();
  await saveSummary(test.core, claimed!.run, saved(toRank));
  const { carried, steps } = saved(toRank);
  return finishCompaction(test.core, { ...claimed!, outcome: { text, carried }, steps });
}

async function nextTurn({ cId }: Opened) {
  await postTestMessage(test.context, cId, { agentIds: ["ann"] });
  const [turn] = await answerTestTurns(test.core);
  return turn!;
}

it("stands in prompts for what it replaces, and is reported in the conversation's log", async () => {
  const opened = await openConversation();
  expect(await summarise(opened, 9)).toBe("succeeded");
  const turn = await nextTurn(opened);
  const carried = [{ kind: "id", text: "AB-1234" }];
  expect(turn.summary).toEqual({ number: 1, toRank: 9, text: "In short", carried });
  expect(turn.history[0]).toMatchObject({ rank: 10, content: "Message 10" });
  const reported = (await readTestLog(test.core, opened.cId)).filter(
    ({ type }) => type === "conversation_compacted",
  );
  expect(reported).toMatchObject([{ fromRank: 0, toRank: 9, inputTokens: 70, text: "In short" }]);
  const run = (await readTestRuns(test.core)).find(({ kind }) => kind === "compaction");
  expect(run).toMatchObject({ status: "finished", outcome: "succeeded", inputTokens: 70 });
  const listed = await listSummaries(test.context, { cId: opened.cId, ...page });
  expect(listed.summaries).toMatchObject([{ number: 1, status: "active", inputTokens: 70 }]);
});

it("reaches what is 500 positions back and more", async () => {
  const opened = await openConversation(700);
  await summarise(opened, 650);
  const turn = await nextTurn(opened);
  expect(turn.summary?.toRank).toBe(650);
  expect(turn.history[0]?.rank).toBe(651);
});

it("has one open run for a conversation, which is claimed once", async () => {
  const opened = await openConversation();
  const started = await Promise.all([start(opened), start(opened), start(opened)]);
  expect(started.filter((id) => id !== undefined)).toHaveLength(1);
  const claimed = (await Promise.all([claim(), claim()])).flat();
  expect(claimed).toHaveLength(1);
  await saveSummary(test.core, claimed[0]!.run, saved(9));
  const outcome = { text: "In short", carried: [] };
  await finishCompaction(test.core, { ...claimed[0]!, outcome, steps: [] });
  // A turn that began before it had no use for another.
  expect(await start(opened, opened.turn.message.rank, -1)).toBe(undefined);
});

it("is ended only by the attempt that holds it, once", async () => {
  const opened = await openConversation();
  await start(opened);
  const [first] = await claim();
  await saveSummary(test.core, first!.run, saved(9));
  await expireTestLeases(test.core);
  const taken = await takeOverRuns(test.core, { workerId: "b", leaseMs: 60_000, limit: 10 });
  expect(taken).toMatchObject([{ kind: "compaction", attempt: 2 }]);
  const second = { run: taken[0]!, compaction: first!.compaction };
  // It continues where the first has saved.
  expect(taken[0]!.subject).toMatchObject({ summary: { progress: { text: "So far", rank: 10 } } });
  const end = { outcome: { text: "In short", carried: [] }, steps: saved(9).steps };
  await expect(saveSummary(test.core, first!.run, saved(9))).rejects.toThrow(LostLease);
  await expect(finishCompaction(test.core, { ...first!, ...end })).rejects.toThrow(LostLease);
  expect(await finishCompaction(test.core, { ...second, ...end })).toBe("succeeded");
  expect(await finishCompaction(test.core, { ...second, ...end })).toBe("succeeded");
  const log = await readTestLog(test.core, opened.cId);
  expect(log.filter(({ type }) => type === "conversation_compacted")).toHaveLength(1);
});

it("is undone and taken back, the newest first", async () => {
  const opened = await openConversation();
  const { cId } = opened;
  await summarise(opened, 5, "First");
  await start(opened);
  const [claimed] = await claim();
  const [first] = await readTestSummaries(test.core);
  const second = { ...saved(11, 6), contains: first };
  await saveSummary(test.core, claimed!.run, second);
  const outcome = { text: "Second", carried: [] };
  await finishCompaction(test.core, { ...claimed!, outcome, steps: [] });
  const update = (number: number, active: boolean) =>
    updateSummary(test.context, { cId, number, active });
  await expect(update(1, false)).rejects.toThrow("undo summary 2 first, which contains it");
  expect((await nextTurn(opened)).summary?.text).toBe("Second");
  await update(2, false);
  expect((await nextTurn(opened)).summary?.text).toBe("First");
  await update(1, false);
  expect(await update(1, false)).toMatchObject({ status: "undone" });
  expect((await nextTurn(opened)).summary).toBe(null);
  // None is started again soon.
  expect(await start(opened)).toBe(undefined);
  expect(await start(opened, 1000)).toMatch(/^sum_/);
  await update(2, true);
  await expect(update(1, true)).rejects.toThrow("summary 2 has taken its place");
  expect((await nextTurn(opened)).summary?.text).toBe("Second");
  expect(await refusalOf(update(9, true))).toBe("404 summary_not_found");
  expect(await refusalOf(update(3, true))).toBe("400 invalid_request_error");
});

it("is dropped if an earlier one was undone while it was written", async () => {
  const opened = await openConversation();
  await summarise(opened, 5);
  const [contains] = await readTestSummaries(test.core);
  await start(opened);
  const [claimed] = await claim();
  await saveSummary(test.core, claimed!.run, { ...saved(11, 6), contains });
  await updateSummary(test.context, { cId: opened.cId, number: 1, active: false });
  const end = { outcome: { text: "Second", carried: [] }, steps: [] };
  expect(await finishCompaction(test.core, { ...claimed!, ...end })).toBe("conversation_changed");
  expect((await nextTurn(opened)).summary).toBe(null);
});

it("does not outlive an edit, or a new answer, of what it replaces", async () => {
  const { conversation } = await createTestConversation(test.context, ["ann"]);
  const cId = conversation.sId;
  const [turn] = await answerTestTurns(test.core);
  for (const _ of [1, 2, 3]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as people write
    await postTestMessage(test.context, cId, { agentIds: ["ann"] });
    // oxlint-disable-next-line no-await-in-loop
    await answerTestTurns(test.core);
  }
  const opened = { cId, turn: turn! };
  await summarise(opened, 3);
  await retryMessage(test.context, { cId, mId: turn!.message.sid });
  await answerTestTurns(test.core, "Again");
  expect((await nextTurn(opened)).summary).toBe(null);
  await expect(updateSummary(test.context, { cId, number: 1, active: true })).rejects.toThrow(
    "messages that it replaces have been changed",
  );
  await start(opened);
  const [claimed] = await claim();
  expect(await saveSummary(test.core, claimed!.run, saved(3))).toBe(true);
  const mId = conversation.content[0]![0]!.sId;
  const edited = { content: "Other", mentions: [], skipToolsValidation: undefined };
  await editMessage(test.context, { cId, mId, ...edited });
  expect(await saveSummary(test.core, claimed!.run, saved(3))).toBe(false);
  const end = { outcome: { text: "Old", carried: [] }, steps: [] };
  expect(await finishCompaction(test.core, { ...claimed!, ...end })).toBe("conversation_changed");
});

it("is cancelled as other runs are, and deleted with its conversation", async () => {
  const opened = await openConversation();
  const admin = await openTestContext(test.core, test.workspace, "admin");
  const runId = (await start(opened))!;
  const [claimed] = await claim();
  await cancelRun(admin, { wId: test.workspaceId, runId });
  await expect(saveSummary(test.core, claimed!.run, saved(9))).rejects.toThrow(LostLease);
  expect(await readTestSummaries(test.core)).toMatchObject([{ error: { code: "cancelled" } }]);
  await start(opened, 1000);
  await deleteConversation(test.context, { cId: opened.cId });
  expect(await test.core.database.db.$count(conversationSummaries)).toBe(0);
  expect(await readTestRuns(test.core)).toEqual([]);
});

it("is reached by those who reach its conversation", async () => {
  const opened = await openConversation();
  await summarise(opened, 9);
  const other = await openTestContext(test.core, test.workspace);
  const { cId } = opened;
  expect(await refusalOf(listSummaries(other, { cId, ...page }))).toBe(
    "404 conversation_not_found",
  );
  const undo = updateSummary(other, { cId, number: 1, active: false });
  expect(await refusalOf(undo)).toBe("404 conversation_not_found");
});
