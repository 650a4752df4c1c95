import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  createTestConversation,
  openTestContext,
  postTestMessage,
  readTestSummaries,
} from "../../testing/testing.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { eraseTemporaryConversations } from "../conversations/erase-temporary.ts";
import { cancelRun } from "../cancel-run.ts";
import { claimCompactions } from "./claim-compactions.ts";
import { createSummary } from "./create-summary.ts";
import { finishCompaction } from "./save-summary.ts";

const test = workspaceTest({ agents: ["ann"], parts: { safetyPollMs: 300 } });

const create = (cId: string, blocking = false) =>
  createSummary(test.context, { cId, agentId: "ann", blocking });

async function openConversation(questions = 2): Promise<string> {
  const { conversation } = await createTestConversation(test.context, []);
  for (let left = questions; left > 0; left--) {
    // oxlint-disable-next-line no-await-in-loop
    await postTestMessage(test.context, conversation.sId, { agentIds: ["ann"] });
    // oxlint-disable-next-line no-await-in-loop
    await answerTestTurns(test.core);
  }
  return conversation.sId;
}

async function finish(outcome: Parameters<typeof finishCompaction>[1]["outcome"]) {
  const { runs } = await claimCompactions(test.core, {
    workerId: "test",
    leaseMs: 60_000,
    limit: 10,
    after: 0,
    held: new Map(),
    perWorkspace: 10,
  });
  const [run] = runs;
  const ended = { run: run!, compaction: run!.subject!, outcome, steps: [] };
  return { code: await finishCompaction(test.core, ended), compaction: run!.subject! };
}

const inShort = { text: "In short", carried: [] };

it("replaces all that was said, and the earlier summary with it", async () => {
  const cId = await openConversation();
  expect(await create(cId)).toMatchObject({ number: 1, status: "pending", fromRank: 0, toRank: 4 });
  const first = await finish(inShort);
  expect(first).toMatchObject({ code: "succeeded", compaction: { agentSid: "ann" } });
  await postTestMessage(test.context, cId, { agentIds: ["ann"] });
  const [turn] = await answerTestTurns(test.core);
  expect(turn!.summary).toMatchObject({ text: "In short", toRank: 4 });
  expect(turn!.history.map(({ rank }) => rank)).not.toContain(4);
  expect(await create(cId)).toMatchObject({ number: 2, fromRank: 5, toRank: 6, containsNumber: 1 });
  const { compaction } = await finish({ text: "In shorter", carried: [] });
  expect(compaction.summary.progress).toMatchObject({ text: "In short", rank: 5 });
});

it("ends before a question that is still answered", async () => {
  const cId = await openConversation(1);
  await postTestMessage(test.context, cId, {
    agentIds: ["ann"],
    contentFragment: { title: "Notes", content: "x", contentType: "text/plain" },
  });
  expect(await create(cId)).toMatchObject({ fromRank: 0, toRank: 2 });
});

it.each([
  ["succeeds", inShort, { status: "active", text: "In short" }],
  ["fails", { code: "empty", message: "Nothing" }, { status: "failed", error: { code: "empty" } }],
])("is waited for until it %s", async (_what, outcome, expected) => {
  const cId = await openConversation();
  const created = create(cId, true);
  await expect.poll(() => readTestSummaries(test.core)).toHaveLength(1);
  await finish(outcome);
  expect(await created).toMatchObject(expected);
});

it("is waited for until it is cancelled, or its conversation deleted", async () => {
  const cancelled = create(await openConversation(), true);
  await expect.poll(() => readTestSummaries(test.core)).toHaveLength(1);
  const [row] = await readTestSummaries(test.core);
  const admin = await openTestContext(test.core, test.workspace, "admin");
  await cancelRun(admin, { wId: test.workspaceId, runId: row!.sid });
  expect(await cancelled).toMatchObject({ status: "failed", error: { code: "cancelled" } });
  const cId = await openConversation();
  const deleted = create(cId, true);
  await expect.poll(() => readTestSummaries(test.core)).toHaveLength(2);
  await deleteConversation(test.context, { cId });
  await expect(deleted).rejects.toMatchObject({ type: "conversation_not_found" });
});

it("is found by whoever comes after its end, or has missed it", async () => {
  const { core } = test;
  const cId = await openConversation();
  const { runId } = await create(cId);
  const missed = Promise.withResolvers<void>();
  const follower = { take: () => true, end: missed.resolve, fail: missed.reject };
  const { publish } = core.bus;
  core.hub.follow(follower, { logId: runId, after: 0 });
  try {
    Object.assign(core.bus, { publish: () => {} });
    await finish(inShort);
  } finally {
    Object.assign(core.bus, { publish });
  }
  const late = Promise.withResolvers<void>();
  core.hub.follow({ ...follower, end: late.resolve }, { logId: runId, after: 0 });
  await expect(Promise.all([late.promise, missed.promise])).resolves.toHaveLength(2);
});

it("refuses a second one, one of nothing, and an agent that there is not", async () => {
  const cId = await openConversation();
  await create(cId);
  await expect(create(cId)).rejects.toMatchObject({ type: "version_conflict" });
  await finish(inShort);
  await expect(create(cId)).rejects.toThrow("nothing was said since the newest summary");
  await expect(createSummary(test.context, { cId, agentId: "bob" } as never)).rejects.toMatchObject(
    { type: "agent_not_found" },
  );
  const stranger = await openTestContext(test.core, test.workspace);
  await expect(
    createSummary(stranger, { cId, agentId: "ann", blocking: false }),
  ).rejects.toMatchObject({ type: "conversation_not_found" });
});

it("keeps a temporary conversation until it is written", async () => {
  const { conversation } = await createTestConversation(test.context, [], { temporary: true });
  await create(conversation.sId);
  test.clock.now += 60_000;
  expect(await eraseTemporaryConversations(test.core)).toBe(0);
  await finish(inShort);
  expect(await eraseTemporaryConversations(test.core)).toBe(1);
});
