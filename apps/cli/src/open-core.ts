import { mkdir } from "node:fs/promises";
import {
  type Core,
  createCore,
  createLocalBus,
  createRedisBus,
  createSecretBox,
  openRedis,
  type RedisConnection,
} from "@parley/core";
import { type Database, type DirectoryLock, openEmbedded, openPostgres } from "@parley/db";
import type { Logger } from "pino";
import type { Settings } from "./config.ts";

/** The net under the hints: they are lost only where something breaks. */
const SAFETY_POLL_MS = { alone: 30_000, redis: 5000, withoutRedis: 1000 };
/** A call is counted in its own process rather than waiting longer for Redis. */
const COUNTER_TIMEOUT_MS = 500;

/** What a process of the server runs on. */
export interface OpenCore {
  readonly core: Core;
  /** Where calls are counted together with other processes. */
  readonly counters: RedisConnection | undefined;
  close(): Promise<void>;
}

export interface OpenCoreOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Lock of the data directory, where the embedded database is to be used. */
  readonly lock: DirectoryLock | undefined;
  /** Absolute address that clients see. */
  readonly publicUrl: () => string;
  /** Told how long after their commit a log's newest events reached this process's followers. */
  readonly onDelivery?: (lagMs: number) => void;
  /** Told of each call that was refused because too many runs of its workspace wait. */
  readonly onRefusedRun?: (kind: string) => void;
}

/** Opens the database, and Redis where one is set, and puts a core together. */
export async function openCore(options: OpenCoreOptions): Promise<OpenCore> {
  const { settings, logger, publicUrl, onDelivery = () => {}, onRefusedRun = () => {} } = options;
  const database = await openDatabase(options);
  const bus = openBus(settings, logger);
  const { REDIS_URL: url, PARLEY_REDIS_PREFIX: prefix } = settings;
  const onError = warnAboutRedis(logger);
  const counters =
    url === undefined
      ? undefined
      : openRedis({
          url,
          name: `${prefix}-counters`,
          onError,
          commandTimeoutMs: COUNTER_TIMEOUT_MS,
        });
  const core = createCore(
    {
      database,
      bus,
      onDelivery,
      onRefusedRun,
      blockingTimeoutMs: settings.PARLEY_BLOCKING_TIMEOUT_MS,
      safetyPollMs: safetyPollOf(settings),
      waitingRuns: settings.PARLEY_WORKSPACE_WAITING_RUNS,
      secretBox: createSecretBox(settings.PARLEY_ENCRYPTION_KEY ?? []),
      fileLimits: {
        fileBytes: settings.PARLEY_MAX_FILE_BYTES,
        workspaceBytes: settings.PARLEY_WORKSPACE_FILES_BYTES,
      },
    },
    publicUrl,
  );
  return {
    core,
    counters,
    close: async () => {
      counters?.disconnect();
      await bus.close();
      await database.close();
    },
  };
}

function openBus(settings: Settings, logger: Logger) {
  const { REDIS_URL: url, PARLEY_REDIS_PREFIX: prefix } = settings;
  if (url === undefined) return { ...createLocalBus(), close: async () => {} };
  return createRedisBus({ url, prefix, onError: warnAboutRedis(logger) });
}

/** Other processes may write to PostgreSQL, and only Redis would tell of it. */
function safetyPollOf({ DATABASE_URL, REDIS_URL }: Settings): number {
  if (DATABASE_URL === undefined) return SAFETY_POLL_MS.alone;
  return REDIS_URL === undefined ? SAFETY_POLL_MS.withoutRedis : SAFETY_POLL_MS.redis;
}

/** Says once that Redis is away, not for each attempt to reach it again. */
function warnAboutRedis(logger: Logger): (error: Error) => void {
  let saidAt = -Infinity;
  return (error) => {
    if (performance.now() - saidAt < 10_000) return;
    saidAt = performance.now();
    logger.warn({ err: error }, "Redis cannot be reached: going on without it");
  };
}

/** Opens the database that is set, and brings its tables up to date. */
export async function openDatabase({
  settings,
  logger,
  lock,
}: Pick<OpenCoreOptions, "settings" | "logger" | "lock">): Promise<Database> {
  const { DATABASE_URL: url, PARLEY_DATA_DIR: directory } = settings;
  if (url === undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return openEmbedded(directory, lock);
  }
  return openPostgres({
    url,
    poolSize: settings.PARLEY_DATABASE_POOL,
    waitMs: settings.PARLEY_DATABASE_WAIT_MS,
    onError: (error) => logger.error({ err: error }, "A connection to PostgreSQL broke"),
  });
}
