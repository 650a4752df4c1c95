import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { createTestConversation, readTestRequests } from "../../testing/testing.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { updateWorkspace } from "../workspaces/workspaces.ts";
import { endpoints, parseInput } from "@parley/schema";
import { type NewRequest, recordRequests, sweepRecordedRequests } from "./record-requests.ts";

const test = workspaceTest({ role: "admin" });
const DAY_MS = 86_400_000;

/** A new conversation, and the request of a step of an answer in it. */
async function openRequests() {
  const { conversation } = await createTestConversation(test.context, []);
  const toRequest = (messageId: string, more: Partial<NewRequest> = {}): NewRequest => ({
    workspaceId: test.workspace.id,
    conversationId: conversation.id,
    messageId,
    step: 0,
    attempt: 1,
    providerId: "openai",
    modelId: "gpt-5",
    sentAt: test.clock.now,
    sizeBytes: 10,
    sha256: "00",
    template: ["{}", { piece: "aa" }],
    pieces: { aa: "A piece" },
    parts: { other: 2 },
    ...more,
  });
  return { cId: conversation.sId, toRequest };
}

const record = (...requests: NewRequest[]) => recordRequests(test.core, requests);

it("writes the last request of each step, and each piece once", async () => {
  const { toRequest } = await openRequests();
  const [one, two] = [toRequest("m1"), toRequest("m2", { pieces: { aa: "A piece", bb: "B" } })];
  expect(await record(one, two, toRequest("m2", { step: 1 }))).toBe(3);
  // Of two in one statement, the second.
  expect(await record({ ...one, modelId: "first" }, { ...one, modelId: "second" })).toBe(1);
  const { requests, pieces } = await readTestRequests(test.core);
  const found = requests.map(({ messageId, step, modelId }) => `${messageId} ${step} ${modelId}`);
  expect(found.toSorted()).toEqual(["m1 0 second", "m2 0 gpt-5", "m2 1 gpt-5"]);
  expect(pieces.map(({ text }) => text).toSorted()).toEqual(["A piece", "B"]);
});

it("keeps the request of the latest attempt, and of several the one that was sent last", async () => {
  const { toRequest } = await openRequests();
  const sentAt = test.clock.now + 1;
  await record(toRequest("m2", { sentAt, modelId: "later" }), toRequest("m2"));
  expect(await record(toRequest("m2"))).toBe(0);
  expect((await readTestRequests(test.core)).requests).toMatchObject([{ modelId: "later" }]);
  expect(await record(toRequest("m1", { attempt: 2 }))).toBe(1);
  expect(await record(toRequest("m1", { attempt: 1 }))).toBe(0);
  const { requests } = await readTestRequests(test.core);
  expect(requests.find(({ messageId }) => messageId === "m1")).toMatchObject({ attempt: 2 });
});

it("writes nothing into what is gone, is of others, records none, or is full", async () => {
  const { cId, toRequest } = await openRequests();
  expect(await record(toRequest("m1", { workspaceId: test.workspace.id + 1 }))).toBe(0);
  const change = (recordsRequests: boolean) =>
    updateWorkspace(
      test.context,
      parseInput(endpoints["workspaces.update"], { wId: test.workspace.sid, recordsRequests }),
    );
  await change(false);
  expect(await record(toRequest("m1"))).toBe(0);
  await change(true);
  const full = { ...test.core, storage: { ...test.core.storage, limitBytes: 0 } };
  expect(await recordRequests(full, [toRequest("m1")])).toBe(0);
  expect(await record(toRequest("m1"))).toBe(1);
  await deleteConversation(test.context, { cId });
  expect(await record(toRequest("m1"))).toBe(0);
  expect(await readTestRequests(test.core)).toEqual({ requests: [], pieces: [] });
});

it("has 500 of a conversation, the newest", async () => {
  const { toRequest } = await openRequests();
  const all = Array.from({ length: 520 }, (_, index) =>
    toRequest(`m${index}`, { sentAt: test.clock.now + index }),
  );
  await record(...all);
  await record(toRequest("last", { sentAt: test.clock.now + 1000 }));
  const { requests } = await readTestRequests(test.core);
  expect(requests.map(({ messageId }) => messageId)).toEqual([
    ...all.slice(20).map(({ messageId }) => messageId),
    "last",
  ]);
});

it("is swept after its retention, with the pieces that no younger one has", async () => {
  const { toRequest } = await openRequests();
  const start = test.clock.now;
  const pieces = { aa: "A piece", bb: "B" };
  await record(toRequest("old", { sentAt: start - 3 * DAY_MS, pieces }));
  await record(toRequest("new", { sentAt: start }));
  const sweep = () => sweepRecordedRequests(test.core, { retentionMs: DAY_MS });
  expect(await sweep()).toBe(2);
  expect(await sweep()).toBe(0);
  const left = await readTestRequests(test.core);
  expect(left.requests.map(({ messageId }) => messageId)).toEqual(["new"]);
  expect(left.pieces.map(({ text }) => text)).toEqual(["A piece"]);
});
