import { nearestDirectory } from "@parley/db";
import { findBoundary, keepsRoot } from "@parley/sandbox/boundary";
import { readFile, statfs } from "node:fs/promises";
import os from "node:os";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { type Surroundings, versionOf } from "./surroundings.ts";

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

/** Programs that some commands start, if they are installed. */
export async function checkTools({ context }: Surroundings): Promise<readonly Finding[]> {
  const found = await Promise.all(
    ["git", "bwrap"].map(
      async (program) =>
        `${program} ${(await versionOf(context.io.environment, program)) ?? "is not installed"}`,
    ),
  );
  return [ok("programs", found.join(", "))];
}

/** Bytes below which something fails soon, and fails now. */
interface Thresholds {
  readonly warnBytes: number;
  readonly failBytes: number;
}

/** The log of the embedded database alone takes 256 MB, and its next file 16 MB. */
const data: Thresholds = { warnBytes: 1024 * MIB, failBytes: 64 * MIB };
/** Uploads and programs pass through it. */
const temporary: Thresholds = { warnBytes: 128 * MIB, failBytes: 8 * MIB };

/** Space of the disks of the data directory and of temporary files. */
export async function checkDisks(around: Surroundings): Promise<readonly Finding[]> {
  const { PARLEY_DATA_DIR: directory } = around.settings;
  const places: [what: string, place: string, thresholds: Thresholds][] = [
    ["temporary disk", os.tmpdir(), temporary],
  ];
  if (around.isEmbedded) places.unshift(["disk", directory, data]);
  return Promise.all(
    places.map(async ([what, place, thresholds]) => {
      const { bavail, bsize, files, ffree } = await statfs(await nearestDirectory(place));
      const hasNames = files === 0 || ffree > 0;
      return judgeDisk({ what, place, freeBytes: bavail * bsize, hasNames }, thresholds);
    }),
  );
}

/** Whether a disk has enough space. */
export function judgeDisk(
  disk: {
    readonly what: string;
    readonly place: string;
    readonly freeBytes: number;
    /** Whether it can hold one more file. */
    readonly hasNames: boolean;
  },
  { warnBytes, failBytes }: Thresholds,
): Finding {
  const { what, place, freeBytes, hasNames } = disk;
  const finding = `${Math.floor(freeBytes / MIB)} MiB are free for ${place}`;
  const cure = `free some space on its disk: at least ${warnBytes / MIB} MiB`;
  if (!hasNames)
    return fail(what, `${finding}, but there are no inodes left`, "delete files on its disk");
  if (freeBytes < failBytes) return fail(what, finding, cure);
  return freeBytes < warnBytes ? warn(what, finding, cure) : ok(what, finding);
}

const SANDBOX = "sandbox";

/** What holds the code of functions, found out as a worker does at its start. */
export async function checkSandbox({
  context,
  settings,
}: Surroundings): Promise<readonly Finding[]> {
  const found = await findBoundary(undefined);
  const { boundary } = found;
  const isRequired = settings.PARLEY_SANDBOX_REQUIRE === "namespace";
  if (boundary === "namespace" && keepsRoot(found)) {
    const user = "run workers as another user, or install Parley where other users can read it";
    return [warn(SANDBOX, "code runs in its own namespaces (bubblewrap), but as root", user)];
  }
  if (boundary === "namespace") {
    return [ok(SANDBOX, "code runs in its own namespaces (bubblewrap)")];
  }
  if (process.platform !== "linux") {
    const elsewhere = "run workers on Linux, or unset PARLEY_SANDBOX_REQUIRE";
    const finding = "code runs in its own processes; only Linux has namespaces";
    return [isRequired ? fail(SANDBOX, finding, elsewhere) : ok(SANDBOX, finding)];
  }
  const hasProgram = (await versionOf(context.io.environment, "bwrap")) !== undefined;
  const as = keepsRoot(found) ? " and as root" : "";
  const why = hasProgram ? "bubblewrap does not work here" : "bubblewrap is not installed";
  const cure = hasProgram
    ? "allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0; " +
      "in a container, its seccomp profile)"
    : "install it (apt-get install bubblewrap), and restart the workers";
  if (!isRequired)
    return [warn(SANDBOX, `code runs in processes without namespaces${as}: ${why}`, cure)];
  return [fail(SANDBOX, `PARLEY_SANDBOX_REQUIRE=namespace, but ${why}`, cure)];
}
