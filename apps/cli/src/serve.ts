import { mkdir } from "node:fs/promises";
import { type Api, createApi } from "@parley/api";
import { createCore, createLocalBus, inTransaction } from "@parley/core";
import { type Database, type DirectoryLock, openEmbedded, openPostgres } from "@parley/db";
import { createWorker } from "@parley/worker";
import type { Logger } from "pino";
import { renderBanner } from "./banner.ts";
import type { Settings } from "./config.ts";
import { ensureDemo } from "./demo.ts";
import { writeDemoFile } from "./demo-file.ts";
import { ensureKey } from "./keys.ts";

/** The net under the hints: one process loses none, so it is rarely needed. */
const SAFETY_POLL_MS = 30_000;
/** How long runs and streams may go on after the server was asked to stop. */
const PATIENCE_MS = 5000;

export interface ServeOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Whether to make the demo workspace. */
  readonly demo: boolean;
  /** Lock of the data directory, where the embedded database is to be used. */
  readonly lock: DirectoryLock | undefined;
  readonly print: (text: string) => void;
}

/** A server that serves. */
export interface RunningServer {
  readonly url: string;
  /** Stops taking work, lets go of what is running, and closes the database. */
  close(): Promise<void>;
}

/** Runs API and worker in this process. Resolves when the server serves. */
export async function serve({
  settings,
  logger,
  demo: withDemo,
  lock,
  print,
}: ServeOptions): Promise<RunningServer> {
  const database = await openDatabase(settings, logger, lock);
  try {
    let url = settings.PARLEY_PUBLIC_URL ?? "";
    const core = createCore(
      {
        database,
        bus: createLocalBus(),
        blockingTimeoutMs: settings.PARLEY_BLOCKING_TIMEOUT_MS,
        safetyPollMs: SAFETY_POLL_MS,
        fileLimits: {
          fileBytes: settings.PARLEY_MAX_FILE_BYTES,
          workspaceBytes: settings.PARLEY_WORKSPACE_FILES_BYTES,
        },
      },
      () => url,
    );
    const api = await createApi({ core, settings, logger });
    const worker = createWorker({ core, settings, logger });
    const address = await listen(api, settings);
    url = settings.PARLEY_PUBLIC_URL ?? address;
    const demo = withDemo ? await ensureDemo(core, settings) : undefined;
    const operatorKey = settings.PARLEY_OPERATOR_KEY;
    if (demo === undefined && operatorKey !== undefined) {
      const operator = { workspace: undefined, name: "operator", role: "operator" } as const;
      await inTransaction(core, ({ db }) =>
        ensureKey(core, db, { ...operator, secret: operatorKey }),
      );
    }
    worker.start();
    if (demo !== undefined) await writeDemoFile(settings.PARLEY_DATA_DIR, demo, url);
    print(renderBanner(url, demo));
    return {
      url,
      close: async () => {
        await Promise.all([api.close(PATIENCE_MS), worker.close(PATIENCE_MS)]);
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDatabase(
  settings: Settings,
  logger: Logger,
  lock: DirectoryLock | undefined,
): Promise<Database> {
  const { DATABASE_URL: url, PARLEY_DATA_DIR: directory } = settings;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (url === undefined) return openEmbedded(directory, lock);
  return openPostgres({
    url,
    poolSize: settings.PARLEY_DATABASE_POOL,
    waitMs: settings.PARLEY_DATABASE_WAIT_MS,
    onError: (error) => logger.error({ err: error }, "A connection to PostgreSQL broke"),
  });
}

/** Listens and gives the address with the port that it got. */
async function listen(api: Api, settings: Settings): Promise<string> {
  const { PARLEY_HOST: host, PARLEY_PORT: port } = settings;
  await api.app.listen({ host, port });
  const bound = api.app.server.address();
  const actual = typeof bound === "object" && bound !== null ? bound.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
}
