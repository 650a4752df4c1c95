import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, createApi } from "@parley/api";
import { type Core, inTransaction } from "@parley/core";
import type { DirectoryLock } from "@parley/db";
import { createWorker } from "@parley/worker";
import type { Logger } from "pino";
import { renderBanner } from "./banner.ts";
import type { Settings } from "./config.ts";
import { ensureDemo } from "./demo.ts";
import { type Demo, writeDemoFile } from "./demo-file.ts";
import { ensureKey } from "./keys.ts";
import { serveMetrics } from "./metrics-server.ts";
import { openCore } from "./open-core.ts";
import { createProcessMetrics } from "./process-metrics.ts";

export interface ServeOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** What the process is: the API, a worker, or both. */
  readonly parts: { readonly api: boolean; readonly worker: boolean };
  /** Whether to make the demo workspace. */
  readonly demo: boolean;
  /** Lock of the data directory, where the embedded database is to be used. */
  readonly lock: DirectoryLock | undefined;
  readonly print: (text: string) => void;
}

/** A process of the server that does its work. */
export interface RunningServer {
  /** Stops taking work, lets go of what is running, and closes the database. */
  close(): Promise<void>;
}

/** Runs the API, a worker or both in this process. Resolves when they take work. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { settings, logger, parts, lock, print } = options;
  let url = settings.PARLEY_PUBLIC_URL ?? "";
  const { registry, ...observers } = createProcessMetrics();
  const { core, counters, close } = await openCore({
    settings,
    logger,
    lock,
    publicUrl: () => url,
    ...observers,
  });
  try {
    const sharedCounters = counters && { redis: counters, prefix: settings.PARLEY_REDIS_PREFIX };
    const shared = { core, settings, logger, registry };
    const api = parts.api ? await createApi({ ...shared, sharedCounters }) : undefined;
    const worker = parts.worker ? createWorker(shared) : undefined;
    const metrics = await serveMetrics(shared);
    const address = api && (await listen(api, settings));
    url = settings.PARLEY_PUBLIC_URL ?? address ?? "";
    const demo = options.demo ? await ensureDemo(core, settings) : undefined;
    if (demo === undefined) await ensureOperatorKey(core, settings);
    worker?.start();
    if (demo !== undefined) await announceDemo(settings, demo, url);
    print(api === undefined ? "Parley works\n" : renderBanner(url, demo));
    const patienceMs = settings.PARLEY_SHUTDOWN_PATIENCE_MS;
    const closeApi = async (): Promise<void> => {
      api?.leave();
      await sleep(shutdownDelayOf(options));
      await api?.close(patienceMs);
    };
    return {
      close: async () => {
        // A worker is sent nothing: it stops claiming at once.
        await Promise.all([closeApi(), worker?.close(patienceMs)]);
        // Until now, it shows how the process ends.
        await metrics?.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A proxy that asks every second or two whether a process is ready has asked by then. */
const API_SHUTDOWN_DELAY_MS = 3000;

/** How long the API goes on taking requests once it is told to stop. */
export function shutdownDelayOf({
  settings,
  parts,
}: Pick<ServeOptions, "settings" | "parts">): number {
  if (!parts.api) return 0;
  return settings.PARLEY_SHUTDOWN_DELAY_MS ?? (parts.worker ? 0 : API_SHUTDOWN_DELAY_MS);
}

async function ensureOperatorKey(core: Core, settings: Settings): Promise<void> {
  const { PARLEY_OPERATOR_KEY: secret } = settings;
  if (secret === undefined) return;
  const operator = { workspace: undefined, name: "operator", role: "operator", secret } as const;
  await inTransaction(core, ({ db }) => ensureKey(core, db, operator));
}

async function announceDemo(settings: Settings, demo: Demo, url: string): Promise<void> {
  await mkdir(settings.PARLEY_DATA_DIR, { recursive: true, mode: 0o700 });
  await writeDemoFile(settings.PARLEY_DATA_DIR, demo, url);
}

/** Listens and gives the address with the port that it got. */
async function listen(api: Api, settings: Settings): Promise<string> {
  const { PARLEY_HOST: host, PARLEY_PORT: port } = settings;
  await api.app.listen({ host, port });
  const bound = api.app.server.address();
  const actual = typeof bound === "object" && bound !== null ? bound.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
}
