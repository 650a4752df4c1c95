import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlace, eventually, type Place } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { finder, startClientServer, textResult, usingServers } from "../tools/client-server.ts";
import { type Fleet, startFleet } from "./fleet.ts";

// Every request of a client reaches another API than the one before, and the worker that waits dies.
describe.skipIf(redisServer.isMissing)(`tools in clients${redisServer.suffix}`, () => {
  let redis: TestRedis;
  let place: Place;
  let fleet: Fleet;
  beforeAll(async () => {
    redis = await startTestRedis();
    place = await createPlace();
    const settings = { REDIS_URL: redis.url, PARLEY_LEASE_MS: "500" };
    fleet = await startFleet(place, { apis: 2, workers: 1 }, settings);
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
    await redis?.kill();
  });
  let turns = 0;
  const api = (index = ++turns % 2) => ({ ...fleet.apis[index]!, demo: fleet.demo });
  const calls = createCalls(() => api(0));

  test("are called through any replica, and once although the worker dies", async () => {
    const agentId = await calls.createAgent("Finder", finder);
    await using client = await startClientServer(() => api());
    const further = { skipToolsValidation: true };
    const message = {
      content: "Find",
      mentions: [{ configurationId: agentId }],
      ...usingServers(client.serverId),
    };
    const { conversation } = await calls.create("", [], { ...further, message });
    await eventually(async () => (client.calls().length > 0 ? { value: true } : {}), 20_000);
    await fleet.replaceWorker(0, "SIGKILL");
    await client.answer(client.calls()[0]!.id!, textResult("Found late"));
    const answer = await eventually(async () => {
      const [found] = answersOf(await calls.get(conversation.sId));
      return found?.status === "created" ? {} : { value: found };
    }, 30_000);
    expect(answer).toMatchObject({ status: "succeeded", content: "It says: Found late" });
    expect(client.calls()).toHaveLength(1);
    expect(fleet.unexpected()).toEqual([]);
  });
});
