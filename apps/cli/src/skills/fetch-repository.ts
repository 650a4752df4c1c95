import { lstatSync, readdirSync, rmSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { environmentForOthers } from "@parley/command/environment";
import type { Io } from "@parley/command/io";
import { oneLine } from "@parley/command/print";
import type { ProgramLimits } from "@parley/sandbox";
import type { GitFolder } from "./git-url.ts";

const MIB = 1_048_576;

/** What Git may use with everything that it starts, for each of its commands. */
export interface FetchLimits {
  readonly timeoutMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** Of the repository and its files. */
  readonly diskBytes: number;
}

/** More than any repository of skills takes. */
const fetchLimits: FetchLimits = {
  timeoutMs: 600_000,
  cpuMs: 300_000,
  memoryBytes: 1024 * MIB,
  diskBytes: 1024 * MIB,
};
/** Packs are mapped in windows, and need more addresses than memory. */
const ADDRESS_BYTES = 4096 * MIB;
const OUTPUT_BYTES = MIB;

/**
 * Git asks nobody, runs no hooks, and fetches over these protocols only, also if a repository names others.
 */
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "submodule.recurse=false",
  "credential.interactive=false",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "protocol.file.allow=always",
  // Large files are not held in memory, nor all of a pack.
  "core.bigFileThreshold=16m",
  "core.packedGitWindowSize=32m",
  "core.packedGitLimit=256m",
].flatMap((setting) => ["-c", setting]);

/** A folder of a repository, on this machine until it is disposed. */
export interface FetchedFolder extends AsyncDisposable {
  readonly place: string;
  /** Names of symbolic links in it, which were taken away: nothing reads where they lead. */
  readonly links: readonly string[];
}

/** Fetches one commit of a repository with the system's Git. Throws `CommandError`, which says why it could not. */
export async function fetchRepository(
  io: Pick<Io, "environment" | "exit" | "signal">,
  { url, ref, folder, name }: GitFolder,
  given: Partial<FetchLimits> = {},
): Promise<FetchedFolder> {
  const root = await mkdtemp(path.join(os.tmpdir(), "parley-skills-"));
  const remove = () => rmSync(root, { recursive: true, force: true });
  // A signal leaves nothing behind either.
  const fetching = new AbortController();
  const leave = (signal: NodeJS.Signals) => {
    fetching.abort();
    remove();
    // As shells say of a process that the signal has ended.
    io.exit(128 + os.constants.signals[signal]);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listeners = signals.map((signal) => [signal, () => leave(signal)] as const);
  for (const [signal, listener] of listeners) io.signal.once(signal, listener);
  const dispose = () => {
    for (const [signal, listener] of listeners) io.signal.off(signal, listener);
    remove();
  };
  try {
    // A skill at the root has the name of its repository.
    const clone = path.join(root, path.basename(name));
    await mkdir(clone);
    const limits = { ...fetchLimits, ...given };
    const git = async (...args: string[]) =>
      runGit([...settings, ...args], {
        environment: io.environment,
        url,
        clone,
        limits,
        signal: fetching.signal,
      });
    await git("init", "--quiet", "--template=");
    await git("fetch", "--quiet", "--depth=1", "--no-tags", "--end-of-options", url, ref);
    await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
    const place = path.join(clone, folder);
    requireFolder(clone, folder);
    const links = readdirSync(place).filter((entry) =>
      lstatSync(path.join(place, entry)).isSymbolicLink(),
    );
    for (const link of links) rmSync(path.join(place, link));
    return { place, links, [Symbol.asyncDispose]: async () => dispose() };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Throws `CommandError` unless it is a folder on the way of which there is no link. */
function requireFolder(clone: string, folder: string): void {
  let place = clone;
  for (const name of folder === "" ? [] : folder.split("/")) {
    place = path.join(place, name);
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new CommandError(`The repository has no folder ${oneLine(folder)}`);
    }
  }
}

interface GitRun {
  readonly environment: NodeJS.ProcessEnv;
  readonly url: string;
  readonly clone: string;
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
}

async function runGit(
  args: readonly string[],
  { environment, url, clone, limits: { diskBytes, ...given }, signal }: GitRun,
): Promise<void> {
  const env = environmentForOthers(environment, {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    LC_ALL: "C",
  });
  const { runWatched } = await import("@parley/sandbox");
  const limits: ProgramLimits = {
    ...given,
    addressBytes: ADDRESS_BYTES,
    outputBytes: OUTPUT_BYTES,
    disk: { folder: clone, bytes: diskBytes },
  };
  const ended = await runWatched({
    command: ["git", "-C", clone, ...args],
    env,
    limits,
    signal,
  }).catch((cause: unknown) => {
    if ((cause as { code?: unknown }).code === "ENOENT") throw noGit(cause);
    throw cause;
  });
  const { status, errors, exceeded } = ended;
  if (status === 0 && exceeded === undefined) return;
  if (status === NO_PROGRAM) throw noGit();
  const said = oneLine(errors.replaceAll(/^(?:fatal|error|remote): /gm, "")).slice(0, 300);
  const why = exceeded === undefined ? said || "git gave no reason" : excesses(limits)[exceeded];
  throw new CommandError(`${url} could not be fetched: ${why}`);
}

/** How a shell ends that finds no program. */
const NO_PROGRAM = 127;

const noGit = (cause?: unknown): CommandError =>
  new CommandError("git is not installed: install it, or use a folder or an archive", {
    cause,
  });

const excesses = (limits: ProgramLimits) => ({
  time: `it took longer than ${limits.timeoutMs} ms`,
  processor: `Git used more than ${limits.cpuMs} ms of processor time`,
  memory: `Git used more than ${limits.memoryBytes / MIB} MiB of memory`,
  output: `Git printed more than ${limits.outputBytes / MIB} MiB`,
  disk: `it needs more than ${(limits.disk?.bytes ?? 0) / MIB} MiB on disk`,
});
