import { startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { startCluster, type TestCluster } from "@parley/db/testing";
import pg from "pg";
import { type Fleet, startFleet } from "../replicas/fleet.ts";
import { createSubjects, type Subjects } from "../replicas/subjects.ts";
import { startTcpProxy, type TcpProxy } from "../replicas/tcp-proxy.ts";
import { createPlace, type Settings } from "../server.ts";

/** Three APIs and three workers on a PostgreSQL and a Redis of their own, all of which may die. */
export interface WholeServer extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly subjects: Subjects;
  readonly cluster: TestCluster;
  readonly redis: TestRedis;
  readonly toRedis: TcpProxy;
  /** What the APIs and the workers reach the database through. */
  readonly ofApis: TcpProxy;
  readonly ofWorkers: TcpProxy;
  /** The test's own way to the database. */
  readonly pool: pg.Pool;
  readonly databaseUrl: string;
}

/** Starts everything. */
export async function startWholeServer(settings: Settings): Promise<WholeServer> {
  await using started = new AsyncDisposableStack();
  const cluster = started.use(await startCluster({ settings: { max_connections: "200" } }));
  const redis = await startTestRedis();
  started.defer(() => redis.kill());
  const toRedis = started.use(await startTcpProxy(Number(new URL(redis.url).port)));
  const ofApis = started.use(await startTcpProxy(cluster.port));
  const ofWorkers = started.use(await startTcpProxy(cluster.port));
  const databaseUrl = cluster.url;
  const urlAt = (port: number) => Object.assign(new URL(databaseUrl), { port }).href;
  const place = started.use(await createPlace({ isEmbedded: true, isBare: true }));
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on("error", () => {});
  started.defer(() => pool.end());
  const fleet = started.use(
    await startFleet(
      { ...place, databaseUrl },
      { apis: 3, workers: 3 },
      {
        REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
        PARLEY_LOG_LEVEL: "info",
        PARLEY_MAX_STREAMS_PER_KEY: "10000",
        PARLEY_RATE_READ_PER_MINUTE: "0",
        ...settings,
        apis: { DATABASE_URL: urlAt(ofApis.port) },
        workers: { DATABASE_URL: urlAt(ofWorkers.port) },
      },
    ),
  );
  const subjects = await createSubjects(fleet);
  const all = started.move();
  return {
    fleet,
    subjects,
    cluster,
    redis,
    toRedis,
    ofApis,
    ofWorkers,
    pool,
    databaseUrl,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
