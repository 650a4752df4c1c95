import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  type DirectoryLock,
  DirectoryUnusable,
  lockCluster,
  lockDirectory,
  unusable,
} from "../lock.ts";
import { chooseRunner } from "./choose-runner.ts";
import { clusterIn, ensureCluster, refuseForeignCluster } from "./cluster.ts";
import {
  createEndpoint,
  createTcpEndpoint,
  isSocketFolder,
  listens,
  socketPath,
} from "./endpoint.ts";
import { type Log, type Postmaster, startPostmaster } from "./postmaster.ts";
import { endPredecessor, killOrphans } from "./predecessor.ts";
import { copyPrograms, findPrograms, isThere, linkLibraries, type Programs } from "./programs.ts";
import { NoEmbeddedDatabase, ProgramFailed, refuseMissingLibrary } from "./refusals.ts";
import { asFlags, serverSettings } from "./settings.ts";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** A server that ran this long restarts at once, others after a wait that doubles. */
const SOUND_MS = 1000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;

/** A PostgreSQL that restarts whenever it ends. */
interface Supervised {
  /** Stops it permanently. */
  stop(): Promise<void>;
}

/** Resolves with the reason once PostgreSQL has ended, or cannot be reached. */
const whyUnusable = async ({ exited, unreachable }: Postmaster): Promise<string> =>
  Promise.race([exited, unreachable.then((why) => why ?? exited)]);

/**
 * Starts PostgreSQL, and restarts it when it ends or cannot be reached, until it is stopped. Throws the error of the
 * first start.
 */
export async function keepRunning(open: () => Promise<Postmaster>, log: Log): Promise<Supervised> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = once(signal, "abort").then(() => "it is stopped");

  const supervise = async (first: Postmaster): Promise<void> => {
    let postmaster: Postmaster | undefined = first;
    let waitMs = 0;
    let startedAt = performance.now();
    for (;;) {
      const why = await (postmaster && Promise.race([whyUnusable(postmaster), stopped]));
      if (signal.aborted) return postmaster?.stop();
      if (postmaster !== undefined)
        log("error", `PostgreSQL is gone and is being restarted: ${why}`);
      // One that cannot be reached still runs.
      await postmaster?.stop();
      if (performance.now() - startedAt > SOUND_MS) waitMs = 0;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      waitMs = Math.min(Math.max(waitMs * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS);
      startedAt = performance.now();
      postmaster = await open().catch((error: Error) => {
        log("error", `PostgreSQL did not start: ${error.message}`);
        return undefined;
      });
    }
  };

  const supervised = supervise(await open());
  return {
    stop: async () => {
      stopping.abort();
      await supervised;
    },
  };
}

/** A PostgreSQL that runs as long as this process does, unless it is stopped. */
export interface EmbeddedServer {
  readonly url: string;
  /** Stops it, and frees its directory. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** The lock of the directory, if it is already held. */
  readonly lock?: DirectoryLock | undefined;
  /** Parley's connections. */
  readonly connections?: number;
  readonly log?: Log;
}

/**
 * Starts PostgreSQL on the cluster of a data directory; creates and locks the directory if necessary.
 * Throws `DirectoryInUse`, `DirectoryUnusable` and `NoEmbeddedDatabase`.
 */
export async function startEmbedded(
  directory: string,
  { lock: held, connections = 32, log = () => {} }: EmbeddedOptions = {},
): Promise<EmbeddedServer> {
  const lock = held ?? (await lockDirectory(directory));
  await using started = new AsyncDisposableStack();
  started.defer(() => lock.release());
  try {
    const whole = path.resolve(directory);
    await refuseForeignCluster(whole);
    const { url, stop } = await start(whole, connections, log);
    started.defer(stop);
    const all = started.move();
    return { url, stop: () => all.disposeAsync() };
  } catch (error) {
    refuseMissingLibrary(error);
    if (error instanceof NoEmbeddedDatabase || error instanceof DirectoryUnusable) throw error;
    const refusal = unusable(directory, error);
    if (!(refusal instanceof ProgramFailed)) throw refusal;
    const message = `PostgreSQL cannot run on ${directory}: ${refusal.message}`;
    throw new ProgramFailed(message, { cause: error });
  }
}

async function start(directory: string, connections: number, log: Log): Promise<EmbeddedServer> {
  const cluster = clusterIn(directory);
  const urlFile = urlFileIn(directory);
  const programs = await preparePrograms(directory);
  const runner = await chooseRunner({ programs, directory, cluster });
  await using started = new AsyncDisposableStack();
  const holdCluster = () => started.defer(lockCluster(cluster).release);
  const isNew = !(await isThere(cluster));
  if (!isNew) holdCluster();
  await endPredecessor(cluster, runner);
  await removeLeftFolder(urlFile);
  const isWindows = process.platform === "win32";
  const endpoint = started.use(
    await (isWindows ? createTcpEndpoint(directory) : createEndpoint(runner.account)),
  );
  const { url, folder, at, settings, initdbFlags } = endpoint;
  await ensureCluster(directory, runner, initdbFlags);
  if (isNew) holdCluster();
  const flags = asFlags({ ...serverSettings(connections), ...settings });
  const startOnce = async (): Promise<Postmaster> => {
    const mistaken = await endPredecessor(cluster, runner);
    const options = { runner, cluster, folder, flags, at, mistaken, log };
    await endpoint.restoreFolder();
    try {
      return await startPostmaster(options);
    } catch (error) {
      if (!/pre-existing shared memory/.test((error as Error).message)) throw error;
      await killOrphans(cluster);
      return startPostmaster(options);
    }
  };
  const { stop } = await keepRunning(startOnce, log);
  started.defer(stop);
  await writeFile(urlFile, `${url}\n`, { mode: 0o600 });
  started.defer(() => rm(urlFile, { force: true }));
  const all = started.move();
  return { url, stop: () => all.disposeAsync() };
}

async function preparePrograms(directory: string): Promise<Programs> {
  const installed = findPrograms();
  // If the package is read-only, the links may already exist.
  return linkLibraries(installed).then(
    () => installed,
    () => copyPrograms(installed, directory),
  );
}

const urlFileIn = (directory: string): string => path.join(directory, "database-url");

/** Removes the socket folder that a killed Parley has left. */
async function removeLeftFolder(urlFile: string): Promise<void> {
  const url = await readFile(urlFile, "utf8").catch(() => "");
  const folder = URL.parse(url.trim())?.searchParams.get("host") ?? "";
  if (!isSocketFolder(folder)) return;
  await rm(folder, { recursive: true, force: true });
}

/** The URL of the PostgreSQL that runs on a data directory, for `psql`; undefined if none runs. */
export async function readEmbeddedUrl(directory: string): Promise<string | undefined> {
  const text = await readFile(urlFileIn(directory), "utf8").catch(() => "");
  const url = URL.parse(text.trim());
  if (url === null) return undefined;
  const folder = url.searchParams.get("host");
  const at = folder === null ? Number(url.port) : socketPath(folder);
  return (await listens(at)) ? url.href : undefined;
}
