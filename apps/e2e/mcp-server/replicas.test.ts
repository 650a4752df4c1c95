import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fleet, startFleet } from "../replicas/fleet.ts";
import { createPlace, type Place } from "../server.ts";
import { answerOf, connect, revisions, textOf, toolNames } from "./connect.ts";

// All state is shared between replicas: a client may send each request to a different one.

describe.skipIf(redisServer.isMissing)(`two APIs${redisServer.suffix}`, () => {
  let place: Place;
  let fleet: Fleet;
  let redis: TestRedis;
  beforeAll(async () => {
    [place, redis] = await Promise.all([createPlace(), startTestRedis()]);
    fleet = await startFleet(place, { apis: 2, workers: 1 }, { REDIS_URL: redis.url });
  }, 120_000);
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
    await redis?.kill();
  }, 60_000);

  test.for(revisions)("replicas serve a client of revision %s in turn", async (revision) => {
    let turn = 0;
    const next = () => fleet.apis[turn++ % fleet.apis.length]!.url;
    const client = await connect({ url: next() }, fleet.demo.userKey, revision, (url, init) => {
      const path = new URL(url instanceof Request ? url.url : url).pathname;
      return fetch(new URL(path, next()), init);
    });
    const names = await toolNames(client);
    expect(names).toEqual(expect.arrayContaining(["agent__helper", "function__add"]));
    expect(await toolNames(client)).toEqual(names);
    let conversationId: string | undefined;
    for (const message of ["one", "two", "three"]) {
      const result = await client.callTool({
        name: "agent__helper",
        arguments: { message, ...(conversationId !== undefined && { conversationId }) },
      });
      expect(textOf(result)).toContain(`You said: ${message}`);
      expect(answerOf(result).conversationId).toBe(
        (conversationId ??= answerOf(result).conversationId),
      );
    }
    const seen: unknown[] = [];
    const slow = await client.callTool(
      { name: "agent__slowpoke", arguments: { message: "Hi" } },
      { onprogress: ({ message }) => void seen.push(message) },
    );
    expect(textOf(slow)).toContain("nothing is missing");
    expect(seen.length).toBeGreaterThan(2);
    expect(turn).toBeGreaterThan(6);
  });
});
