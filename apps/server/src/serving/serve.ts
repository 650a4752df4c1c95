import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, createApi, hasConsole } from "@parley/api";
import { CommandError } from "@parley/command/command-error";
import { type Demo, demoFile, writeDemoFile } from "@parley/command/demo-file";
import { type Core, createCodeForKey, inTransaction, voidClaims } from "@parley/core";
import { type EmbeddedServer, ensurePrivateDirectory, unusable } from "@parley/db";
import { createWorker } from "@parley/worker";
import type { Logger } from "pino";
import { installedCommand, renderBanner } from "./banner.ts";
import type { RunningBuild } from "./console-build.ts";
import type { Settings } from "../config.ts";
import { ensureDemo } from "../demo/demo.ts";
import { ensureOperatorKey, hasOperatorKey } from "../keys/keys.ts";
import { serveMetrics } from "../metrics/metrics-server.ts";
import { openCore } from "../core/open-core.ts";
import { refusedPort } from "../refused-port.ts";
import { createProcessMetrics } from "../metrics/process-metrics.ts";
import { requireRedis } from "../require-redis.ts";
import { type Parts, shutdownDelayOf } from "./shutdown-delay.ts";
import { lockStartMemory, writeStartMemory } from "../keys/start-memory.ts";

export interface ServeOptions {
  readonly readVersion: () => string;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly parts: Parts;
  /** Whether to create the demo workspace. */
  readonly demo: boolean;
  /** The embedded database, if it is used. */
  readonly embedded: EmbeddedServer | undefined;
  readonly print: (text: string) => void;
  /** Whether it prints to a terminal, which may show a key. */
  readonly isTerminal: boolean;
  /** The build of the console that runs beside the server. */
  readonly consoleBuild?: RunningBuild | undefined;
  /** Called when everything has started, before anybody is told. */
  readonly onStarted?: () => void;
}

/** A running process of the server. */
export interface RunningServer {
  /** Stops accepting work, ends or hands back what is running, and closes the database. */
  close(): Promise<void>;
}

/** Runs the API, a worker or both in this process. Resolves when they accept work. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { readVersion, settings, logger, parts, embedded, print, consoleBuild } = options;
  // A worker renders URLs too: those of the API that runs with the same settings.
  let url = settings.PARLEY_PUBLIC_URL ?? urlOf(settings, settings.PARLEY_PORT);
  const runsAsRoot = process.geteuid?.() === 0;
  if (settings.REDIS_URL !== undefined) await requireRedis(settings.REDIS_URL);
  const { registry, ...observers } = createProcessMetrics();
  const { core, counters, close } = await openCore({
    readVersion,
    settings,
    logger,
    embedded,
    publicUrl: () => url,
    ...observers,
  });
  try {
    const sharedCounters = counters && { redis: counters, prefix: settings.PARLEY_REDIS_PREFIX };
    const shared = { core, settings, logger, registry };
    const version = readVersion();
    const worker = parts.worker ? createWorker({ ...shared, version }) : undefined;
    const probed = worker?.probeSandbox();
    // Finding out takes longer than all else that comes before the first request.
    if (settings.PARLEY_SANDBOX_REQUIRE === undefined) probed?.catch(core.onLateFailure);
    else {
      await probed?.catch((error: unknown) => {
        throw new CommandError(`PARLEY_SANDBOX_REQUIRE=namespace: ${describe(error)}`);
      });
    }
    const whyNotReady = worker?.whyNotReady;
    const sandboxBoundary = worker?.sandboxBoundary;
    let demo: Demo | undefined;
    const demoWorkspaceId = () => demo?.workspaceId;
    const watchesWorkers = worker === undefined;
    const ofApi = {
      ...shared,
      sharedCounters,
      whyNotReady,
      sandboxBoundary,
      runsAsRoot,
      version,
      watchesWorkers,
      demoWorkspaceId,
      consoleBuild,
    };
    const api = parts.api ? await createApi(ofApi) : undefined;
    const metrics = await serveMetrics({ ...shared, whyNotReady });
    const listensOn = api && (await listen(api, settings));
    url = settings.PARLEY_PUBLIC_URL ?? listensOn ?? url;
    // The directory has a file with keys.
    if (options.demo) await ensurePrivateDirectory(settings.PARLEY_DATA_DIR);
    demo = options.demo ? await ensureDemo(core, settings) : undefined;
    if (options.demo && demo === undefined) {
      logger.info("The demo workspace was deleted and is not created again");
    }
    if (demo === undefined) await ensureSetKeys(core, settings);
    // Its lock shows that no other process uses the database.
    if (embedded !== undefined) await voidClaims(core);
    // Said by what serves: a start that fails says only why.
    if (runsAsRoot) {
      logger.warn(
        "The server runs as root: give it its own user, for example with systemd's User=",
      );
    }
    worker?.start();
    await worker?.claimed;
    options.onStarted?.();
    if (demo !== undefined) await announceDemo(settings, demo, url);
    print(
      api === undefined
        ? `Worker started (up to ${settings.PARLEY_WORKER_CONCURRENCY} turns)\n`
        : await describeApi(core, { ...options, url, demo }),
    );
    const gracePeriodMs = settings.PARLEY_SHUTDOWN_PATIENCE_MS;
    const closeApi = async (): Promise<void> => {
      api?.leave();
      await sleep(shutdownDelayOf(options));
      await api?.close(gracePeriodMs);
    };
    return {
      close: async () => {
        // No proxy sends requests to a worker: it stops claiming at once.
        await Promise.all([closeApi(), worker?.close(gracePeriodMs), consoleBuild?.close()]);
        // The metrics are available until the end.
        await metrics?.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

async function ensureSetKeys(core: Core, settings: Settings): Promise<void> {
  const { PARLEY_OPERATOR_KEY: secret } = settings;
  if (secret === undefined) return;
  await inTransaction(core, async ({ db }) => {
    const memory = await lockStartMemory(db);
    await ensureOperatorKey(core, db, { secret, memory });
    await writeStartMemory(db, memory);
  });
}

async function announceDemo(settings: Settings, demo: Demo, url: string): Promise<void> {
  const { PARLEY_DATA_DIR: directory } = settings;
  try {
    await writeDemoFile(directory, demo, url);
  } catch (error) {
    throw unusable(directory, error);
  }
}

interface Announced {
  readonly settings: Settings;
  readonly isTerminal: boolean;
  readonly url: string;
  readonly demo: Demo | undefined;
  readonly consoleBuild?: RunningBuild | undefined;
}

async function describeApi(
  core: Core,
  { settings, isTerminal, url, demo, consoleBuild }: Announced,
): Promise<string> {
  const file = path.resolve(demoFile(settings.PARLEY_DATA_DIR));
  // On a terminal, as a key: once, and for ten minutes.
  const signedIn =
    demo === undefined || !isTerminal ? undefined : await createCodeForKey(core, demo.adminKey);
  return renderBanner({
    url,
    consoleUrl: consoleBuild !== undefined || hasConsole() ? (signedIn ?? `${url}/`) : undefined,
    isConsoleComing: consoleBuild?.state() === "running",
    directory: process.cwd(),
    parley: consoleBuild?.parleyCommand ?? installedCommand(import.meta.filename),
    demoFile: demo && file,
    hasOperator: await hasOperatorKey(core, core.database.db),
  });
}

/** Listens, and gives the URL with the actual port. */
async function listen(api: Api, settings: Settings): Promise<string> {
  const { PARLEY_HOST: host, PARLEY_PORT: port } = settings;
  await api.app.listen({ host, port }).catch((error: unknown) => {
    throw refusedPort(error, { setting: "PARLEY_PORT", host, port });
  });
  const bound = api.app.server.address();
  const actual = typeof bound === "object" && bound !== null ? bound.port : port;
  return urlOf(settings, actual);
}

function urlOf({ PARLEY_HOST: host }: Settings, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
