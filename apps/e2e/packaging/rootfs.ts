import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { chooseTemporaryFolder } from "@parley/db/testing";
import { pnpm } from "../../../.ci/pnpm.ts";
import { isRunning } from "../build-server.ts";
import { root as workspace } from "../place.ts";
import { endWithThisProcess } from "../programs.ts";

// Root file systems of Debian, in which the instructions of a Dockerfile run without a container engine.

/** Why no root file system can be made and entered here; undefined if it can. */
export function whyNoRootfs(): string | undefined {
  if (spawnSync("mmdebstrap", ["--version"]).error) return "mmdebstrap is not installed";
  const entered = spawnSync("unshare", [...apart, "chroot", "/", "/bin/true"]);
  return entered.status === 0 ? undefined : "this user may not mount and change the root";
}

const apart = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"];

/**
 * Enters a root file system, from which programs run whatever the options of the file system that it is on. It is
 * read-only but for the folders that are given, if there is a list of them.
 */
const enter = (writable?: readonly string[]): string => {
  const sharesTmp = writable === undefined || writable.includes("/tmp");
  const steps = [
    'mount --bind "$root" "$root"',
    'mount -o remount,bind,exec "$root"',
    'mount -t proc proc "$root/proc"',
    'mount --rbind /dev "$root/dev"',
    ...(sharesTmp ? ['mount --bind /tmp "$root/tmp"'] : []),
    ...(writable ?? [])
      .filter((folder) => folder !== "/tmp")
      .map((folder) => `mount --bind "$root${folder}" "$root${folder}"`),
    ...(writable === undefined ? [] : ['mount -o remount,bind,ro,exec "$root"']),
    'exec chroot "$@"',
  ];
  return `root=$1; shift; ${steps.join(" && ")}`;
};

export interface Command {
  readonly environment: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly args: readonly string[];
  /** The only folders that can be written; all without it. */
  readonly writable?: readonly string[];
}

/** What a command inherits, so that it reaches the registries as this process does. */
const inherited = ["NODE_EXTRA_CA_CERTS"];

/** Starts a command in a root file system. `kill` ends it with all that it has started. */
export function startIn(root: string, { environment, workdir, user, args, writable }: Command) {
  const command = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', workdir, ...args];
  const entered = [
    "/bin/sh",
    "-c",
    enter(writable),
    "sh",
    root,
    `--userspec=${user}`,
    root,
    ...command,
  ];
  const passed = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const child = spawn("unshare", [...apart, ...entered], {
    env: { PATH, ...Object.fromEntries(passed), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithThisProcess(child);
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output.text += text));
  }
  const exited = once(child, "close").then(([code]) => code as number | null);
  // The first process of its own: a change of user has cut what would end it with its parent.
  const kill = (): void => void spawnSync("pkill", ["-KILL", "-P", String(child.pid)]);
  process.on("exit", kill);
  void exited.then(() => process.off("exit", kill));
  return { output, exited, kill };
}

/** Runs a command to its end. Throws what it said if it fails. */
export async function runIn(root: string, command: Command): Promise<string> {
  const { output, exited } = startIn(root, command);
  if ((await exited) === 0) return output.text;
  throw new Error(`${command.args.join(" ")} failed:\n${output.text.slice(-4000)}`);
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What the root file systems of a Dockerfile stay below. */
const NEEDED_BYTES = 8 * 2 ** 30;

/** A folder for root file systems, gone when it is disposed of. */
export async function createRootfsFolder() {
  const parent = await chooseTemporaryFolder(NEEDED_BYTES);
  // What runs that were killed have left fills the memory.
  for (const left of globSync("parley-rootfs-*", { cwd: parent })) {
    const isLeft = !isRunning(Number(left.split("-")[2]));
    if (isLeft) await rm(path.join(parent, left), { recursive: true, force: true });
  }
  const folder = await mkdtemp(path.join(parent, `parley-rootfs-${process.pid}-`));
  return {
    path: folder,
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Makes the smallest Debian, with this Node and nothing else. */
export async function makeSmallRoot(root: string): Promise<void> {
  const packages = "--include=libatomic1,libstdc++6";
  const made = spawnSync("mmdebstrap", ["--variant=minbase", packages, "bookworm", root]);
  if (made.status !== 0) throw new Error(`mmdebstrap failed:\n${made.stderr.toString()}`);
  await copyFile(process.execPath, path.join(root, "usr/local/bin/node"));
}

/** Makes what `node:<version>-bookworm-slim` is: Debian with this Node, npm and the user `node`. */
export async function makeNodeImage(root: string): Promise<void> {
  const packages = "--include=libatomic1,libstdc++6";
  const made = spawnSync("mmdebstrap", ["--variant=apt", packages, "bookworm", root]);
  if (made.status !== 0) throw new Error(`mmdebstrap failed:\n${made.stderr.toString()}`);
  const local = path.join(root, "usr/local");
  await copyFile(process.execPath, path.join(local, "bin/node"));
  const npm = spawnSync("npm", ["root", "--global"], { encoding: "utf8" }).stdout.trim();
  await mkdir(path.join(local, "lib/node_modules"), { recursive: true });
  await cp(path.join(npm, "npm"), path.join(local, "lib/node_modules/npm"), { recursive: true });
  for (const name of ["npm", "npx"]) {
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, path.join(local, "bin", name));
  }
  // How this machine reaches the registries.
  for (const file of ["/etc/resolv.conf", "/etc/hosts", process.env["NODE_EXTRA_CA_CERTS"] ?? ""]) {
    if (!existsSync(file)) continue;
    await mkdir(path.join(root, path.dirname(file)), { recursive: true });
    await copyFile(file, path.join(root, file));
  }
  const npmrc = path.join(os.homedir(), ".npmrc");
  if (existsSync(npmrc)) await copyFile(npmrc, path.join(root, "root/.npmrc"));
  const add = ["useradd", "--uid", "1000", "--user-group", "--create-home", "node"];
  await runIn(root, { environment: {}, workdir: "/", user: "root", args: add });
}

/** Copies a root file system, sharing what the disk can share. */
export async function copyRootfs(from: string, to: string): Promise<void> {
  const copied = spawnSync("cp", ["--archive", "--reflink=auto", `${from}/.`, to]);
  if (copied.status !== 0) throw new Error(copied.stderr.toString());
}

/**
 * Gives a root file system what pnpm has fetched for the workspace, as a cache that builds share: what
 * is missing in it is still fetched.
 */
export async function shareFetched(root: string): Promise<void> {
  const store = (await pnpm(workspace, "store", "path")).trim();
  const target = path.join(root, "root/.local/share/pnpm/store", path.basename(store));
  await mkdir(target, { recursive: true });
  // First the index, for files that are added meanwhile are not in it.
  const index = new DatabaseSync(path.join(store, "index.db"), { readOnly: true });
  await backup(index, path.join(target, "index.db"));
  index.close();
  await mkdir(path.join(target, "files"));
  await copyRootfs(path.join(store, "files"), path.join(target, "files"));
}
