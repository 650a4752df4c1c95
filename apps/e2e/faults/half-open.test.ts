import { openPostgres } from "@parley/db";
import { isDatabaseUnavailable } from "@parley/core";
import { describe, expect, test } from "vitest";
import { minimal, pathsOf, send } from "../request.ts";
import { eventually, startProgram, settingsFor, within } from "../server.ts";
import { startOnFaultyDatabase } from "./faulty-database.ts";
import { createSpeakers, speechOf } from "./spoken-words.ts";

// Connections to the database that nothing passes through, though both sides think them open: what
// waits on one is told so in time, the process says that it is not ready, and all is well after it.

const REFUSED_WITHIN_MS = 10_000;
const RECOVERED_WITHIN_MS = 15_000;

// Beside each other: each waits for time limits, on a database of its own.
describe.concurrent("half-open connections", { timeout: 120_000 }, () => {
  test("refuse requests in time, and keep nothing from going on after them", async () => {
    await using faulty = await startOnFaultyDatabase();
    const { server, proxy } = faulty;
    const { agentId, functionId } = await createSpeakers(server, speechOf(3, 30));
    const { conversations, events, skills } = pathsOf(server);
    const ready = () => send(server, { path: "/readyz", key: null });
    expect((await ready()).status).toBe(200);

    proxy.freeze();
    const ask = async (path: string, json?: unknown) => {
      const startedAt = performance.now();
      const { status, headers } = await send(
        server,
        json === undefined ? { path } : { path, json },
      );
      const isInTime = performance.now() - startedAt < REFUSED_WITHIN_MS;
      return { status, isInTime, retryAfter: headers.get("retry-after") };
    };
    const stream = events(functionId, "sfi_x").replace("/api/", "/api/sse/");
    const refusals = await Promise.all([
      ask(skills),
      ask(conversations),
      ask(conversations, minimal),
    ]);
    for (const refusal of refusals) {
      expect(refusal).toEqual({ status: 503, isInTime: true, retryAfter: "1" });
    }
    expect(await ask(stream)).toEqual({ status: 429, isInTime: true, retryAfter: "1" });
    expect((await send(server, { path: "/livez", key: null })).status).toBe(200);
    expect((await ready()).status).toBe(503);

    proxy.mend();
    await eventually(
      async () => ((await ready()).status === 200 ? { value: true } : {}),
      RECOVERED_WITHIN_MS,
    );
    const message = { content: "Speak", mentions: [{ configurationId: agentId }] };
    const answer = await send(server, { path: conversations, json: { message, blocking: true } });
    expect(answer.text).toContain("word0 word1 word2");
    const invocation = await send(server, {
      path: pathsOf(server).invocations(functionId),
      json: { input: null },
    });
    expect(JSON.parse(invocation.text)).toMatchObject({ outcome: { status: "succeeded" } });
  });

  test("give their places in the pool back, whichever statement of a transaction waits", async () => {
    await using faulty = await startOnFaultyDatabase();
    const { proxy, place } = faulty;
    const database = await openPostgres({ url: place.databaseUrl!, poolSize: 1, waitMs: 2000 });
    try {
      const one = () => database.transaction(async (tx) => tx.execute("select 1"));
      await one();
      proxy.abandon();
      const begun = await one().catch((error: unknown) => error);
      expect(isDatabaseUnavailable(begun)).toBe(true);
      await one();
      const second = database.transaction(async (tx) => {
        await tx.execute("select 1");
        proxy.abandon();
        await tx.execute("select 1");
      });
      const startedAt = performance.now();
      expect(isDatabaseUnavailable(await second.catch((error: unknown) => error))).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(REFUSED_WITHIN_MS);
      await one();
      expect(database.pool()).toMatchObject({ inUse: 0, waiting: 0 });
    } finally {
      await database.close();
    }
  });

  test("make a worker of its own say that it is not ready, until it claims again", async () => {
    await using faulty = await startOnFaultyDatabase();
    const { proxy, place } = faulty;
    const worker = startProgram(["worker"], { ...settingsFor(place), PARLEY_METRICS_PORT: "0" });
    try {
      const url = await eventually(async () => {
        const found = /Metrics are at (http:[^"\s]+)\/metrics/.exec(worker.output.stderr)?.[1];
        return found === undefined ? {} : { value: found };
      }, 30_000);
      const becomes = (status: number) =>
        eventually(async () => {
          const answer = await fetch(`${url}/readyz`);
          return answer.status === status ? { value: await answer.text() } : {};
        }, RECOVERED_WITHIN_MS);
      await becomes(200);
      proxy.freeze();
      expect(await becomes(503)).toContain("cannot reach the queued runs");
      proxy.mend();
      await becomes(200);
    } finally {
      worker.signal("SIGTERM");
      await within(20_000, worker.exited);
    }
  });
});
