import { redisServer, startTestRedis } from "@parley/core/testing-redis";
import { type LoadGenerator, startLoadGenerator } from "../load/load-generator.ts";
import { formatPost } from "../load/plan.ts";
import { type BenchmarkOptions, sampleTimes, type SampleTimes } from "../options.ts";
import { readUsage, usageBetween } from "../proc.ts";
import type { Findings } from "../report.ts";
import { measureCosts } from "../scale/costs.ts";
import { type Fleet, type FleetSize, followAnswer, startFleet } from "../scale/fleet.ts";
import type { Postgres, ScratchDatabase } from "../scratch-database.ts";
import type { Row } from "../table.ts";

const sizes: readonly FleetSize[] = [
  { apis: 1, workers: 1 },
  { apis: 2, workers: 1 },
  { apis: 1, workers: 2 },
  { apis: 2, workers: 2 },
];

const CONNECTIONS = 16;

/**
 * Measures separate APIs and workers, and what their operations ask of PostgreSQL and Redis, beside no
 * floor: it asks no question.
 */
export async function benchScale(options: BenchmarkOptions): Promise<Findings> {
  const { postgres } = options;
  if (postgres.isEmbedded) throw new Error("DATABASE_URL is not set: scale needs PostgreSQL");
  if (redisServer.isMissing) throw new Error("redis-server is not installed: scale needs it");
  const rows: Row[] = [];
  for (const size of sizes) {
    // One at a time: there are more processes than cores as it is.
    await using resources = options.resources.use(new AsyncDisposableStack());
    rows.push(...(await measureSize(options, { resources, postgres, size })));
  }
  await using resources = options.resources.use(new AsyncDisposableStack());
  const database = await postgres.createDatabase(resources, "costs");
  const redis = await startTestRedis();
  resources.defer(() => redis.kill());
  const costs = await measureCosts(resources, database.url, redis.url);
  return { tables: [rows, costs], questions: [] };
}

interface Sized {
  readonly resources: AsyncDisposableStack;
  readonly postgres: Postgres;
  readonly size: FleetSize;
}

async function measureSize(
  options: BenchmarkOptions,
  { resources, postgres, size }: Sized,
): Promise<Row[]> {
  const database = await postgres.createDatabase(resources, `scale_${size.apis}_${size.workers}`);
  const redis = await startTestRedis();
  resources.defer(() => redis.kill());
  const addresses = { DATABASE_URL: database.url, REDIS_URL: redis.url };
  const fleet = await startFleet(resources, size, { api: addresses, worker: addresses });
  const generators = fleet.apis.map(() => startLoadGenerator(resources));
  const rows: Row[] = [];
  for (const blocking of [false, true]) {
    const { count, elapsedMs, cpuMs } = await used(fleet, { database, generators }, () =>
      create(fleet, { generators, blocking, ...sampleTimes(options, 0) }),
    );
    const what = blocking ? "answers waited for" : "creates and their answers";
    rows.push(toRow(size, { what, count, elapsedMs, cpuMs }));
  }
  const { count, elapsedMs, cpuMs } = await used(fleet, { database, generators }, async () => {
    const { events, elapsedMs: ms } = await followAnswer(fleet);
    return { count: events, elapsedMs: ms };
  });
  rows.push(toRow(size, { what: "deliveries", count, elapsedMs, cpuMs }));
  return rows;
}

interface Done {
  readonly count: number;
  readonly elapsedMs: number;
}

/** Loads all APIs at once, and waits until the workers have nothing left to do. */
async function create(
  { apis, demo }: Fleet,
  {
    generators,
    blocking,
    ...times
  }: { generators: readonly LoadGenerator[]; blocking: boolean } & SampleTimes,
): Promise<Done> {
  const results = await Promise.all(
    generators.map((generator, index) => {
      const path = `/api/v1/w/${demo.workspaceId}/assistant/conversations`;
      const url = new URL(path, apis[index]?.url);
      const mentions = [{ configurationId: "helper" }];
      const body = { message: { content: "What does it cost?", mentions }, blocking };
      const plan = {
        host: url.hostname,
        port: Number(url.port),
        requests: [formatPost(url, { Authorization: `Bearer ${demo.adminKey}` }, body)],
        mustContain: `"status":"${blocking ? "succeeded" : "created"}"`,
        connections: CONNECTIONS / generators.length,
        ...times,
      };
      return generator.run(plan);
    }),
  );
  const count = results.reduce((sum, result) => sum + result.count, 0);
  return { count, elapsedMs: times.windowMs };
}

/** What the processes of each kind used of the processors in the meantime, warm-up and end included. */
async function used(
  { apis, workerPids }: Fleet,
  { database, generators }: { database: ScratchDatabase; generators: readonly LoadGenerator[] },
  work: () => Promise<Done>,
): Promise<Done & { cpuMs: Readonly<Record<string, number>> }> {
  const read = async () =>
    readUsage({
      api: apis.map(({ pid }) => pid),
      worker: workerPids,
      database: await database.backends(),
      load: [...generators.map(({ pid }) => pid), process.pid],
    });
  const before = await read();
  const done = await work();
  const { cpuMs, elapsedMs } = usageBetween(before, await read());
  // What was done in the warm-up used as much as what counts.
  const share = Math.min(1, done.elapsedMs / elapsedMs);
  const scaled = Object.entries(cpuMs).map(([role, ms]) => [role, ms * share] as const);
  return { ...done, cpuMs: Object.fromEntries(scaled) };
}

function toRow(
  { apis, workers }: FleetSize,
  measured: Done & { what: string; cpuMs: Readonly<Record<string, number>> },
): Row {
  const { what, count, elapsedMs, cpuMs } = measured;
  const micros = (role: string) => ((cpuMs[role] ?? Number.NaN) * 1000) / count;
  return {
    APIs: apis,
    workers,
    what,
    "per second": count / (elapsedMs / 1000),
    "API µs": micros("api"),
    "worker µs": micros("worker"),
    "database µs": micros("database"),
    "load µs": micros("load"),
  };
}
