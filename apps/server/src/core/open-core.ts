import {
  type Core,
  createCore,
  createLocalBus,
  createRedisBus,
  createSecretBox,
  openRedis,
  type RedisConnection,
  startDatabaseClock,
  type ToolServerFailure,
  type ToolServers,
} from "@parley/core";
import { type Database, type EmbeddedServer, openEmbedded, openPostgres } from "@parley/db";
import type { Logger } from "pino";
import type { Settings } from "../config.ts";
import type { ProcessMetrics } from "../metrics/process-metrics.ts";
import { startDatabase } from "./start-database.ts";
import { createBundleCode } from "./bundle-code.ts";
import { ensureEncryptionKeys } from "../keys/encryption-keys.ts";
import type { McpConnections } from "@parley/mcp";

/** What asks services for vectors; its code is loaded by the first call. */
function createLazyEmbedder(settings: Settings): Core["embed"] {
  let opened: Promise<Core["embed"]> | undefined;
  return async (request) => {
    opened ??= import("@parley/worker/embedder").then(({ createEmbedder }) =>
      createEmbedder(settings),
    );
    return (await opened)(request);
  };
}

interface ToolServersOptions {
  readonly readVersion: () => string;
  readonly settings: Pick<Settings, "PARLEY_PRIVATE_HOSTS" | "PARLEY_OAUTH_ENDPOINT_HOSTS">;
  readonly onServerAsked?: ProcessMetrics["onServerAsked"] | undefined;
}

/**
 * What calls remote servers; reports what they were asked, besides calls. The protocol's code is loaded by the
 * first call, because loading it would make each start longer.
 */
function createToolServers({
  readVersion,
  settings: { PARLEY_PRIVATE_HOSTS: allowedHosts, PARLEY_OAUTH_ENDPOINT_HOSTS: endpointHosts },
  onServerAsked: onAsked = () => {},
}: ToolServersOptions): ToolServers & { close(): Promise<void> } {
  let opened: Promise<McpConnections> | undefined;
  const open = (): Promise<McpConnections> => {
    opened ??= import("@parley/mcp").then(({ createMcpConnections }) =>
      createMcpConnections({ allowedHosts, endpointHosts, name: "parley", version: readVersion() }),
    );
    return opened;
  };
  type Asked = Parameters<ProcessMetrics["onServerAsked"]>[0];
  const count = async <T extends object>(asked: Asked, answering: Promise<T>): Promise<T> => {
    const answer = await answering;
    onAsked(asked, outcomeOf(answer));
    return answer;
  };
  return {
    listTools: async (...given) => count("tools", (await open()).listTools(...given)),
    callTool: async (...given) => (await open()).callTool(...given),
    authorization: {
      prepare: async (...given) => (await open()).authorization.prepare(...given),
      start: async (...given) => (await open()).authorization.start(...given),
      exchange: async (...given) => count("token", (await open()).authorization.exchange(...given)),
      refresh: async (...given) => count("token", (await open()).authorization.refresh(...given)),
      revoke: async (...given) => (await open()).authorization.revoke(...given),
    },
    requestToken: async (...given) => count("token", (await open()).requestToken(...given)),
    close: async () => (await opened)?.close(),
  };
}

function outcomeOf(answer: object | ToolServerFailure): string {
  return "code" in answer ? answer.code : "done";
}

/** The safety net for lost hints; with Redis, or alone, they are lost only in failures. */
const SAFETY_POLL_MS = { alone: 30_000, redis: 5000, withoutRedis: 1000 };
/** After this wait for Redis, a call is counted in its own process. */
const COUNTER_TIMEOUT_MS = 500;

/** The core of a process, with its connections. */
export interface OpenCore {
  readonly core: Core;
  /** Redis for the rate limit counters that processes share. */
  readonly counters: RedisConnection | undefined;
  close(): Promise<void>;
}

export interface OpenCoreOptions {
  /** Gives the version of the server, for servers that it calls. */
  readonly readVersion: () => string;
  readonly settings: Settings;
  readonly logger: Logger;
  /** The embedded database, if it is running already. */
  readonly embedded?: EmbeddedServer | undefined;
  /** Absolute URL that clients see. */
  readonly publicUrl: () => string;
  /** Called before older tables are brought up to date. */
  readonly onMigrating?: (missing: number) => void;
  readonly onDelivery?: ProcessMetrics["onDelivery"];
  readonly onRefusedRun?: ProcessMetrics["onRefusedRun"];
  readonly onRefusedStorage?: ProcessMetrics["onRefusedStorage"];
  readonly onServerAsked?: ProcessMetrics["onServerAsked"];
}

/** Opens the database, and Redis if it is set, and creates the core. */
export async function openCore(options: OpenCoreOptions): Promise<OpenCore> {
  const { settings, logger, publicUrl, onDelivery = () => {}, onRefusedRun = () => {} } = options;
  const { onRefusedStorage = () => {} } = options;
  const database = await openDatabase(options);
  const closeAndThrow = async (error: unknown): Promise<never> => {
    await database.close();
    throw error;
  };
  // After the database, which holds the lock of the directory.
  const encryptionKeys = await ensureEncryptionKeys(settings, (file) =>
    logger.info({ file }, "Created the key that encrypts stored secrets"),
  ).catch(closeAndThrow);
  const clock = await startDatabaseClock(database.db).catch(closeAndThrow);
  const bus = openBus(settings, logger);
  const { REDIS_URL: url, PARLEY_REDIS_PREFIX: prefix } = settings;
  const onError = warnAboutRedis(logger);
  const connection = { name: `${prefix}-counters`, onError, commandTimeoutMs: COUNTER_TIMEOUT_MS };
  const counters = url === undefined ? undefined : openRedis({ url, ...connection });
  const toolServers = createToolServers(options);
  const core = createCore(
    {
      database,
      toolServers,
      bundleCode: createBundleCode(settings),
      embed: createLazyEmbedder(settings),
      hasProgramSetting: (name) => settings[name] !== undefined,
      bus,
      now: clock.now,
      onDelivery,
      onRefusedRun,
      onRefusedStorage,
      onLateFailure: (error) => logger.error({ err: error }, "Something failed after its commit"),
      blockingTimeoutMs: settings.PARLEY_BLOCKING_TIMEOUT_MS,
      safetyPollMs: safetyPollOf(settings),
      waitingRuns: settings.PARLEY_WORKSPACE_WAITING_RUNS,
      secretBox: createSecretBox(encryptionKeys),
      fileLimits: {
        fileBytes: settings.PARLEY_MAX_FILE_BYTES,
      },
      workspaceBytes: settings.PARLEY_WORKSPACE_BYTES,
      conversationLimits: {
        messages: settings.PARLEY_CONVERSATION_MESSAGES,
        bytes: settings.PARLEY_CONVERSATION_BYTES,
      },
      dataSourceLimits: {
        sources: settings.PARLEY_WORKSPACE_DATA_SOURCES,
        nodes: settings.PARLEY_DATA_SOURCE_DOCUMENTS,
        bytes: settings.PARLEY_DATA_SOURCE_BYTES,
      },
    },
    publicUrl,
  );
  return {
    core,
    counters,
    close: async () => {
      clock[Symbol.dispose]();
      counters?.disconnect();
      await toolServers.close();
      await core.threads.close();
      await bus.close();
      // What is lost here, the next count finds.
      await core.storage.flush().catch(() => {});
      await database.close();
    },
  };
}

function openBus(settings: Settings, logger: Logger) {
  const { REDIS_URL: url, PARLEY_REDIS_PREFIX: prefix } = settings;
  if (url === undefined) return { ...createLocalBus(), close: async () => {} };
  return createRedisBus({ url, prefix, onError: warnAboutRedis(logger) });
}

/** Other processes may write to PostgreSQL, and only Redis carries their hints. */
function safetyPollOf({ DATABASE_URL, REDIS_URL }: Settings): number {
  if (DATABASE_URL === undefined) return SAFETY_POLL_MS.alone;
  return REDIS_URL === undefined ? SAFETY_POLL_MS.withoutRedis : SAFETY_POLL_MS.redis;
}

/** Logs at most every 10 s that Redis is unavailable, not at each attempt to reconnect. */
function warnAboutRedis(logger: Logger): (error: Error) => void {
  let loggedAt = -Infinity;
  return (error) => {
    if (performance.now() - loggedAt < 10_000) return;
    loggedAt = performance.now();
    logger.warn({ err: error }, "Redis cannot be reached: continuing without it");
  };
}

/** Opens the database of the settings, and brings its tables up to date. */
export async function openDatabase({
  settings,
  logger,
  embedded,
  onMigrating = () => {},
}: Pick<OpenCoreOptions, "settings" | "logger" | "embedded" | "onMigrating">): Promise<Database> {
  const { DATABASE_URL: url, PARLEY_DATA_DIR: directory } = settings;
  const options = {
    poolSize: settings.PARLEY_DATABASE_POOL,
    waitMs: settings.PARLEY_DATABASE_WAIT_MS,
    onMigrating,
    onError: (error: Error) => logger.error({ err: error }, "A connection to PostgreSQL broke"),
  };
  if (url !== undefined) return openPostgres({ ...options, url });
  const server = embedded ?? (await startDatabase(settings, logger));
  return openEmbedded(directory, { ...options, server });
}
