import { conversations, openPostgres } from "@parley/db";
import { endpoints } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { type Answer, expectError, jsonOf, pathsOf, send } from "../request.ts";
import { type Server, shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { conversationIn, createOf, createSender, isReplay, listIds } from "./keyed.ts";

// The interface: of requests that come at once with one key, one makes something.

const AT_ONCE = 200;
const LOOKS = 200;
/** The machine may be busy with something else; a server whose connections are taken never passes. */
const ATTEMPTS = 3;

/** How long 99 of 100 unrelated requests take at most, one after the other, in milliseconds. */
async function measureLooks(server: Server): Promise<number> {
  const took: number[] = [];
  const { output } = endpoints["skills.list"];
  while (took.length < LOOKS) {
    const startedAt = performance.now();
    jsonOf(await send(server, { path: pathsOf(server).skills }), output);
    took.push(performance.now() - startedAt);
  }
  return took.toSorted((a, b) => a - b)[Math.ceil(LOOKS * 0.99) - 1] ?? Number.NaN;
}

/** Keeps whoever adds to a conversation waiting in its transaction until they are let go. */
async function holdConversations({ place }: Server): Promise<() => Promise<void>> {
  // The one connection of the embedded database is the server's.
  if (place.databaseUrl === undefined) return async () => {};
  const database = await openPostgres({ url: place.databaseUrl, poolSize: 1 });
  const held = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const holding = database.transaction(async (tx) => {
    await tx.select().from(conversations).for("update");
    held.resolve();
    await letGo.promise;
  });
  await held.promise;
  return async () => {
    letGo.resolve();
    await holding;
    await database.close();
  };
}

function expectInUse(answer: Answer): void {
  expectError(answer, "idempotency_key_in_use");
  expect(answer.headers.get("retry-after")).toBe("1");
}

describe("a server", () => {
  const server = shareServer();
  const { create, get } = createCalls(server);

  test("200 requests at once make one conversation", async () => {
    const before = await listIds(server());
    const sendOnce = createSender(server);
    const request = createOf(server, {}, ["helper"]);
    const sent = Array.from({ length: AT_ONCE }, () => sendOnce(request));
    const made: string[] = [];
    const first: Answer[] = [];
    for (const answer of await Promise.all(sent)) {
      if (answer.status === 409) expectInUse(answer);
      else {
        made.push(conversationIn(answer).conversation.sId);
        if (!isReplay(answer)) first.push(answer);
      }
    }
    expect([new Set(made).size, first.length]).toEqual([1, 1]);
    expect(await listIds(server())).toEqual([made[0], ...before]);
  });

  test("who is refused in the meantime is refused at once, and nobody else is delayed", async () => {
    const ratios: number[] = [];
    await measureLooks(server());
    while (ratios.length < ATTEMPTS && (ratios.at(-1) ?? Infinity) > 3) {
      const { sId: cId } = (await create("Hello")).conversation;
      const usual = await measureLooks(server());
      const letGo = await holdConversations(server());
      const sendOnce = createSender(server);
      const path = `${pathsOf(server()).conversations}/${cId}/messages`;
      const request = { path, json: { content: "x", mentions: [] } };
      const sent = Array.from({ length: AT_ONCE }, () => sendOnce(request));
      try {
        ratios.push((await measureLooks(server())) / usual);
      } finally {
        await letGo();
      }
      const accepted: Answer[] = [];
      for (const answer of await Promise.all(sent)) {
        if (answer.status === 409) expectInUse(answer);
        else accepted.push(answer);
      }
      expect(accepted.filter((answer) => !isReplay(answer))).toHaveLength(1);
      expect(accepted.map(({ status }) => status)).toEqual(accepted.map(() => 200));
      expect(accepted).toHaveLength(1);
      expect((await get(cId)).content).toHaveLength(2);
    }
    expect(Math.min(...ratios)).toBeLessThanOrEqual(3);
  }, 60_000);
});
