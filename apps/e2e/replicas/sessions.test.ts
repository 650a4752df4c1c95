import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../request.ts";
import { createPlace, type Place } from "../server.ts";
import { type Fleet, startFleet } from "./fleet.ts";

// The requests of a page reach any replica, and so does the one that ends its session.
describe.skipIf(redisServer.isMissing)(`sessions${redisServer.suffix}`, () => {
  let redis: TestRedis;
  let place: Place;
  let fleet: Fleet;
  beforeAll(async () => {
    redis = await startTestRedis();
    place = await createPlace();
    fleet = await startFleet(place, { apis: 2, workers: 0 }, { REDIS_URL: redis.url });
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
    await redis?.kill();
  });
  const path = "/api/session";

  test("that one replica opens are known to another, until one ends them", async () => {
    const [one, other] = fleet.apis.map((api) => ({ url: api?.url ?? "", demo: fleet.demo }));
    const opened = await send(one!, { path, method: "POST" });
    const token = /=(ss-\w+);/.exec(opened.headers.getSetCookie()[0] ?? "")?.[1] ?? "";
    const ask = async (replica: { url: string; demo: Fleet["demo"] }, method = "GET") => {
      // Behind a proxy, both have its port.
      const cookie = `parley_session_${new URL(replica.url).port}=${token}`;
      const headers = { cookie, "x-parley-session": "1" };
      return (await send(replica, { path, method, key: null, headers })).status;
    };
    expect([await ask(one!), await ask(other!)]).toEqual([200, 200]);
    expect(await ask(other!, "DELETE")).toBe(200);
    expect(await ask(other!)).toBe(401);
    await expect.poll(() => ask(one!), { timeout: 10_000 }).toBe(401);
    expect(fleet.unexpected()).toEqual([]);
  });
});
