import { describe, expect, test } from "vitest";
import { type Answer, expectError, minimal, pathsOf, send } from "../request.ts";
import { createPlace, type Server, startServer } from "../server.ts";
import { openDatabase } from "./stored-state.ts";

// A server with too much to do says so at once, keeps answering health checks, and recovers.

const message = /overloaded/;

/** Asks for the skills until an answer is as it should be. */
async function askUntil(server: Server, isRight: (answer: Answer, tookMs: number) => boolean) {
  let answer: Answer | undefined;
  const ask = async () => {
    const startedAt = performance.now();
    answer = await send(server, { path: pathsOf(server).skills });
    return isRight(answer, performance.now() - startedAt);
  };
  await expect.poll(ask, { interval: 20, timeout: 20_000 }).toBe(true);
  return answer as Answer;
}

test("connections that are all in use", async () => {
  await using place = await createPlace();
  await using server = await startServer(place, {
    PARLEY_DATABASE_POOL: "2",
    PARLEY_DATABASE_WAIT_MS: "1000",
  });
  const database = await openDatabase(place);
  const locked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const holder = database.transaction(async (tx) => {
    await tx.execute("lock table conversations in access exclusive mode");
    locked.resolve();
    await gate.promise;
  });
  try {
    await locked.promise;
    const create = { path: pathsOf(server).conversations, json: minimal };
    // A create that comes alone is written alone.
    const stuck = [1, 2, 3].map(() => send(server, create));
    const refused = await askUntil(server, ({ status }, tookMs) => status === 429 && tookMs < 150);
    expectError(refused, "rate_limit_error", { message });
    expect(refused.headers.get("retry-after")).toBe("1");
    const stream = pathsOf(server).events("add", "sfi_x");
    for (const path of [stream, stream.replace("/api/", "/api/sse/"), "/rpc/skills.list"]) {
      expect((await send(server, { path })).status).toBe(429);
    }
    const live = await send(server, { path: "/livez", key: null });
    expect(live.status).toBe(200);
    expectError(await send(server, { path: "/readyz", key: null }), "service_unavailable");

    gate.resolve();
    await holder;
    await askUntil(server, ({ status }) => status === 200);
    expect((await send(server, { path: "/readyz", key: null })).status).toBe(200);
    const outcomes = await Promise.all(stuck);
    for (const { status } of outcomes) expect([200, 429]).toContain(status);
    const { conversations } = JSON.parse(
      (await send(server, { path: pathsOf(server).conversations })).text,
    ) as { conversations: unknown[] };
    expect(conversations).toHaveLength(outcomes.filter(({ status }) => status === 200).length);
  } finally {
    gate.resolve();
    await holder;
    await database.close();
  }
});

describe("an event loop that is busy", () => {
  test("refuses what comes, and takes it again when it is not", async () => {
    await using place = await createPlace();
    await using server = await startServer(place, {
      PARLEY_MAX_LOOP_DELAY_MS: "12",
      PARLEY_RATE_CREATE_PER_MINUTE: "0",
      PARLEY_RATE_CREATE_PER_HOUR: "0",
    });
    await askUntil(server, ({ status }) => status === 200);
    // Ordinary bodies, which do not take turns: a turn of the loop does many.
    let refused: Answer | undefined;
    const load = async () => {
      while (refused === undefined) {
        const answer = await send(server, { path: pathsOf(server).conversations, json: minimal });
        expect([200, 429]).toContain(answer.status);
        if (answer.status === 429) refused = answer;
      }
    };
    await Promise.all(Array.from({ length: 256 }, load));
    if (refused === undefined) throw new Error("Nothing was refused");
    expectError(refused, "rate_limit_error", { message });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await send(server, { path: "/livez", key: null })).status).toBe(200);
    expect((await send(server, { path: "/readyz", key: null })).status).toBe(200);
    await askUntil(server, ({ status }) => status === 200);
  });
});
