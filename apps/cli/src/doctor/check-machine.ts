import { readFile } from "node:fs/promises";
import os from "node:os";
import { fail, type Finding, ok, warn } from "./finding.ts";
import { versionOf } from "./version-of.ts";
import type { Surroundings } from "./surroundings.ts";

const MIB = 1024 * 1024;
const LEAST_NODE = 26;
/** A server with its database takes half of it, and processes of the sandbox the rest. */
const ENOUGH_MEMORY = 1024 * MIB;
/** Fewer than the streams of some hundred people, with the connections of a database. */
const ENOUGH_FILES = 4096;
/** Below it not even the connections of the database and the processes of the sandbox are certain. */
const LEAST_FILES = 512;

/** The version of Node. */
export async function checkNode(): Promise<readonly Finding[]> {
  const { node } = process.versions;
  const finding = `${node}, ${process.platform} ${process.arch}`;
  if (Number.parseInt(node, 10) >= LEAST_NODE) return [ok("node", finding)];
  return [fail("node", finding, `install Node ${LEAST_NODE} or newer`)];
}

/** The memory of the machine, or what a container has of it. */
export async function checkMemory(): Promise<readonly Finding[]> {
  const total = os.totalmem();
  const limit = process.constrainedMemory();
  const isLimited = limit > 0 && limit < total;
  return [judgeMemory(isLimited ? limit : total, isLimited)];
}

/** Whether the memory is enough for a server. */
export function judgeMemory(bytes: number, isLimited: boolean): Finding {
  const finding = `${Math.floor(bytes / MIB)} MiB${isLimited ? ", the limit of its control group" : ""}`;
  if (bytes >= ENOUGH_MEMORY) return ok("memory", finding);
  const cure = `${isLimited ? "raise the limit" : "add memory"} to 1024 MiB, or lower PARLEY_SANDBOX_PROCESSES`;
  return warn("memory", finding, cure);
}

/** How many files and connections a process may have open. */
export async function checkFileDescriptors(): Promise<readonly Finding[]> {
  // Others have no such file, or no such limit.
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  return soft === undefined ? [] : [judgeFiles(soft === "unlimited" ? Infinity : Number(soft))];
}

/** Whether a process may have enough files open. */
export function judgeFiles(most: number): Finding {
  const what = "file descriptors";
  const finding = `${most} at once`;
  const cure =
    "raise the limit (ulimit -n 65536, LimitNOFILE= of systemd, --ulimit nofile of docker)";
  if (most < LEAST_FILES) return fail(what, finding, cure);
  return most < ENOUGH_FILES ? warn(what, finding, cure) : ok(what, finding);
}

/** Programs that some commands start, where they are installed. */
export async function checkTools({ context }: Surroundings): Promise<readonly Finding[]> {
  const found = await Promise.all(
    ["git", "bwrap"].map(
      async (program) =>
        `${program} ${(await versionOf(context.io.environment, program)) ?? "is not installed"}`,
    ),
  );
  return [ok("programs", found.join(", "))];
}
