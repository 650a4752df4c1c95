import { execFile } from "node:child_process";
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CommandError } from "../command-error.ts";
import { environmentForOthers } from "../config.ts";
import { oneLine } from "../plain.ts";
import type { GitFolder } from "./git-url.ts";

/** More than any repository of skills takes. */
const FETCH_MS = 600_000;

/** Git asks nobody, runs no hooks, and fetches over these protocols only, also where a repository names others. */
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "submodule.recurse=false",
  "credential.interactive=false",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "protocol.file.allow=always",
].flatMap((setting) => ["-c", setting]);

/** A folder of a repository, on this machine until it is disposed. */
export interface FetchedFolder extends AsyncDisposable {
  readonly place: string;
  /** Names of symbolic links in it, which were taken away: nothing reads where they lead. */
  readonly links: readonly string[];
}

/** Fetches one commit of a repository with the system's Git. Throws `CommandError`, which says why it could not. */
export async function fetchRepository({
  url,
  ref,
  folder,
  name,
}: GitFolder): Promise<FetchedFolder> {
  const root = await mkdtemp(path.join(os.tmpdir(), "parley-skills-"));
  const remove = () => rmSync(root, { recursive: true, force: true });
  // A signal leaves nothing behind either.
  const leave = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, leave);
  const dispose = () => {
    for (const signal of signals) process.off(signal, leave);
    remove();
  };
  try {
    // A skill at the root has the name of its repository.
    const clone = path.join(root, path.basename(name));
    await mkdir(clone);
    const git = async (...args: string[]) => runGit(["-C", clone, ...settings, ...args], url);
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

async function runGit(args: readonly string[], url: string): Promise<void> {
  const env = environmentForOthers({
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    LC_ALL: "C",
  });
  try {
    await promisify(execFile)("git", args, { env, timeout: FETCH_MS });
  } catch (cause) {
    const { code, stderr = "" } = cause as { code?: unknown; stderr?: string };
    if (code === "ENOENT") {
      const cure = "install it, or name a folder or an archive";
      throw new CommandError(`git is not on this machine: ${cure}`, { cause });
    }
    const said = oneLine(stderr.replaceAll(/^(?:fatal|error|remote): /gm, "")).slice(0, 300);
    throw new CommandError(`${url} could not be fetched: ${said || "git said nothing"}`, { cause });
  }
}
