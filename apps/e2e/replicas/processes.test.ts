import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { CreatedConversation } from "@parley/schema";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { metricsUrl, scrape, scrapeUntil } from "../observability/scrape.ts";
import { jsonOf, open, pathsOf, send } from "../request.ts";
import { createPlace, eventually, type Place, within } from "../server.ts";
import { answersOf, createCalls, mentionOf } from "../siblings/calls.ts";
import { type Fleet, startFleet } from "./fleet.ts";

// `parley api` and `parley worker` as processes of their own: they start together, show what they do,
// and go one by one without anybody losing by it.

const STREAMS = 20;

describe.skipIf(redisServer.isMissing)(`APIs and workers${redisServer.suffix}`, () => {
  let redis: TestRedis;
  let place: Place;
  let fleet: Fleet;
  beforeAll(async () => {
    redis = await startTestRedis();
    place = await createPlace();
    fleet = await startFleet(
      place,
      { apis: 2, workers: 2 },
      {
        REDIS_URL: redis.url,
        PARLEY_METRICS_PORT: "0",
        PARLEY_SHUTDOWN_DELAY_MS: "1500",
        PARLEY_SHUTDOWN_PATIENCE_MS: "1500",
      },
    );
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
    await redis?.kill();
  });

  const api = (index: number) => ({ ...fleet.apis[index]!, demo: fleet.demo });
  const calls = createCalls(() => api(1));

  test("start at once on an empty database, which is migrated once", async () => {
    const client = new pg.Client({ connectionString: place.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ applied: number; known: number }>(
      `select count(*)::int as applied, count(distinct hash)::int as known
          from drizzle.__drizzle_migrations`,
    );
    await client.end();
    expect(rows[0]?.applied).toBeGreaterThan(10);
    expect(rows[0]?.known).toBe(rows[0]?.applied);
  });

  test("show what they do, each on a port of its own", async () => {
    const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
    expect(conversation.content[1]).toMatchObject([{ status: "succeeded" }]);
    const processes = [api(0), api(1), ...fleet.workers.map((worker) => worker!)];
    const urls = processes.map((one) => metricsUrl(one));
    expect(new Set(urls).size).toBe(4);

    const route = { http_route: "/api/v1/w/:wId/assistant/conversations" };
    const served = await scrapeUntil(api(1), ({ value }) => {
      return (value("http_server_request_duration_seconds_count", route) ?? 0) > 0;
    });
    expect(served.text).not.toContain("parley_runs_finished");
    const idle = await scrape(api(0));
    expect(idle.value("http_server_request_duration_seconds_count", route)).toBeUndefined();
    const worked = await Promise.all(fleet.workers.map((worker) => scrape(worker!)));
    for (const { text } of worked) expect(text).not.toContain("http_server_request");
    for (const { value } of [served, ...worked]) expect(value("parley_bus_connected")).toBe(1);
  });

  test(
    "an API that is told to stop says so, continues, and then lets go of everybody",
    { timeout: 60_000 },
    async () => {
      const script = { steps: [{ text: "word ".repeat(20) }], tokenDelayMs: 350 };
      const agent = await calls.createAgent("slow", script);
      const { conversation } = await calls.create("Go on", [agent]);
      const messageId = conversation.content[1]?.[0]?.sId ?? "";
      const root = pathsOf(api(0)).conversations.replace("/api/", "/api/sse/");
      const sse = `${root}/${conversation.sId}/messages/${messageId}/events`;
      const leaving = api(0);
      const streams = await Promise.all(
        Array.from({ length: STREAMS }, () => open(leaving, { path: sse })),
      );
      const endedAt: number[] = [];
      const read = streams.map(async (response) => {
        const frames = await Array.fromAsync(readFrames(response));
        endedAt.push(performance.now());
        return frames;
      });
      const json = { message: { content: "Wait", mentions: mentionOf(agent) }, blocking: true };
      const create = { path: pathsOf(leaving).conversations, json };
      const blocking = send(leaving, create);

      const stoppedAt = performance.now();
      leaving.signal("SIGTERM");
      const ready = () => send(leaving, { path: "/readyz", key: null });
      await eventually(async () => ((await ready()).status === 503 ? { value: true } : {}), 1000);
      const taken = await send(leaving, { ...create, json: { ...json, blocking: false } });
      expect(taken.status).toBe(200);
      expect(taken.headers.get("connection")).toBe("close");
      expect(endedAt).toEqual([]);

      const { parsed } = jsonOf(await within(20_000, blocking), CreatedConversation);
      expect(parsed.conversation.content[1]).toMatchObject([{ status: "created" }]);
      const seen = await within(20_000, Promise.all(read));
      expect(await within(25_000, leaving.exited)).toBe(0);
      expect(performance.now() - stoppedAt).toBeLessThan(25_000);
      // Spread out, so that they do not come back at once.
      expect(Math.max(...endedAt) - Math.min(...endedAt)).toBeGreaterThan(STREAMS * 5);
      // Of errors, it logged what /readyz said, and nothing else.
      const errors = leaving.output.stderr
        .split("\n")
        .filter((line) => line.includes('"level":50'));
      const unexpected = errors.filter((line) => !line.includes("The server is shutting down"));
      expect(unexpected).toEqual([]);

      // Each continues at another API behind the last event that it has.
      const last = String(seen[0]!.at(-1)?.data["eventId"] ?? "0");
      const headers = { "last-event-id": last };
      const rest = await Array.fromAsync(readFrames(await open(api(1), { path: sse, headers })));
      const ids = [...seen[0]!, ...rest].map(({ data }) => Number(data["eventId"]));
      expect(ids).toEqual(ids.map((_id, index) => index + 1));
      expect(rest.at(-1)?.data["data"]).toMatchObject({ type: "agent_message_success" });
    },
  );

  test("a worker that is stopped hands back what it cannot finish", async () => {
    const script = { steps: [{ text: "word ".repeat(20) }], tokenDelayMs: 200 };
    const agent = await calls.createAgent("steady", script);
    const { conversation } = await calls.create("Go on", [agent]);
    const isRunning = ({ value }: Awaited<ReturnType<typeof scrape>>) =>
      (value("parley_runs_running") ?? 0) > 0;
    const busy = await eventually(async () => {
      for (const worker of fleet.workers) {
        if (worker !== undefined && isRunning(await scrape(worker))) return { value: worker };
      }
      return {};
    }, 10_000);
    busy.signal("SIGTERM");
    expect(await within(25_000, busy.exited)).toBe(0);
    const ended = await eventually(async () => {
      const [answer] = answersOf(await calls.get(conversation.sId));
      return answer?.status === "created" ? {} : { value: answer };
    }, 20_000);
    expect(ended?.status).toBe("succeeded");
  });
});
