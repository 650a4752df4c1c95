import { tapPostgres, tapRedis, type Traffic } from "@parley/core/testing-traffic";
import { createRpcClient } from "parley-client";
import type { Row } from "../table.ts";
import { type Fleet, followAnswer, startFleet } from "./fleet.ts";

const TIMES = 100;

/** Counts what an operation asks of PostgreSQL and Redis, of many one after the other. */
export async function measureCosts(
  resources: AsyncDisposableStack,
  databaseUrl: string,
  redisUrl: string,
): Promise<Row[]> {
  const taps = {
    api: { sql: await tapPostgres(databaseUrl), redis: await tapRedis(redisUrl) },
    worker: { sql: await tapPostgres(databaseUrl), redis: await tapRedis(redisUrl) },
  };
  const all = [taps.api.sql, taps.api.redis, taps.worker.sql, taps.worker.redis];
  for (const tap of all) resources.use(tap);
  const behind = ({ sql, redis }: { sql: Traffic; redis: Traffic }) => ({
    DATABASE_URL: sql.url,
    REDIS_URL: redis.url,
  });
  const fleet = await startFleet(
    resources,
    { apis: 1, workers: 1 },
    { api: behind(taps.api), worker: behind(taps.worker) },
  );
  const costs: Row[] = [];
  const count = async (what: string, work: () => Promise<number>): Promise<void> => {
    await work();
    for (const tap of all) tap.clear();
    const operations = await work();
    const per = ({ counts }: Traffic) =>
      counts.entries().reduce((sum, [name, n]) => (name === "PING" ? sum : sum + n), 0) /
      operations;
    costs.push({
      operation: what,
      "API statements": per(taps.api.sql),
      "worker statements": per(taps.worker.sql),
      "API Redis commands": per(taps.api.redis),
      "worker Redis commands": per(taps.worker.redis),
    });
  };
  await count("a create and its answer, waited for", () => createMany(fleet));
  await count("an event delivered to one of 200 followers", async () => {
    return (await followAnswer(fleet)).events;
  });
  return costs;
}

async function createMany({ apis, demo }: Fleet): Promise<number> {
  const rpc = createRpcClient({ url: apis[0]?.url ?? "", apiKey: demo.adminKey });
  const mentions = [{ configurationId: "helper" }];
  for (let index = 0; index < TIMES; index++) {
    await rpc.conversations.create.mutate({
      wId: demo.workspaceId,
      message: { content: "Hello", mentions },
      blocking: true,
    });
  }
  return TIMES;
}
