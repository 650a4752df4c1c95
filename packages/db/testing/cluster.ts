import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { chooseRunner, type Runner } from "../src/embedded/choose-runner.ts";
import { clusterIn, ensureCluster, ROLE } from "../src/embedded/cluster.ts";
import { findPrograms, linkLibraries } from "../src/embedded/programs.ts";
import { spawnOptions } from "../src/embedded/run-program.ts";
import { asFlags, serverSettings } from "../src/embedded/settings.ts";
import { chooseTemporaryFolder } from "./temporary-folder.ts";

/** A PostgreSQL of tests at a port of the loopback, which they may kill. */
export interface TestCluster extends AsyncDisposable {
  readonly port: number;
  /** Its first database, for its superuser. */
  readonly url: string;
  /** Stops it as a crash would: nothing is finished or flushed. */
  stopAtOnce(): Promise<void>;
  /** Starts it again, with these variables in its environment. */
  start(environment?: Readonly<Record<string, string>>): Promise<void>;
}

interface ClusterOptions {
  /** The folder that its own is made in. */
  readonly parent?: string;
  /** Settings beside the product's, or in their place. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Variables of its environment at its first start. */
  readonly environment?: Readonly<Record<string, string>>;
}

const MAX_CONNECTIONS = 300;

/** What the databases and the log of a whole run stay below. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * Makes an empty cluster with the product's programs, and starts it. It is gone when it is disposed of
 * or this process has ended, however it ended.
 */
export async function startCluster({
  parent,
  settings = {},
  environment = {},
}: ClusterOptions = {}): Promise<TestCluster> {
  const folder = await mkdtemp(
    path.join(parent ?? (await chooseTemporaryFolder(NEEDED_BYTES)), "parley-cluster-"),
  );
  const guard = startGuard(folder);
  const programs = findPrograms();
  await linkLibraries(programs);
  const cluster = clusterIn(folder);
  const runner = await chooseRunner({ programs, directory: folder, cluster });
  const password = randomBytes(12).toString("hex");
  await makeCluster(folder, runner, password);
  const port = await findFreePort();
  const flags = asFlags({
    ...serverSettings(MAX_CONNECTIONS),
    // What tests kill is a process: what it has written stays written.
    fsync: "off",
    full_page_writes: "off",
    max_wal_size: "1GB",
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    ...settings,
  });
  let running = await startPostgres(runner, { cluster, flags, environment });
  const stopAtOnce = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, "exit");
    running.kill("SIGQUIT");
    await exited;
  };
  return {
    port,
    url: `postgres://${ROLE}:${password}@127.0.0.1:${port}/postgres`,
    stopAtOnce,
    start: async (changed = {}) =>
      void (running = await startPostgres(runner, { cluster, flags, environment: changed })),
    [Symbol.asyncDispose]: async () => {
      await stopAtOnce();
      await guard.dismiss();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeCluster(folder: string, runner: Runner, password: string): Promise<void> {
  const passwordFile = path.join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  const { user } = runner.account;
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  // Other users can reach the port. A random password needs no slow hash.
  const access = ["--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--set=scram_iterations=1"];
  await ensureCluster(folder, runner, [...access, "--no-sync"]);
}

/**
 * A child in this process's session, for the scheduler shares a busy machine between sessions, however
 * many tests wait for the one of the database.
 */
async function startPostgres(
  { account, programs }: Runner,
  {
    cluster,
    flags,
    environment,
  }: {
    cluster: string;
    flags: readonly string[];
    environment: Readonly<Record<string, string>>;
  },
): Promise<ChildProcess> {
  const [file = "", ...args] = [...account.prefix, programs.postgres, "-D", cluster, ...flags];
  const options = spawnOptions(account, cluster);
  const child = spawn(file, args, {
    ...options,
    env: { ...options.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ready = Promise.withResolvers<void>();
  let said = "";
  createInterface(child.stderr).on("line", (line) => {
    said = `${said}${line}\n`.slice(-2000);
    if (line.includes("is ready to accept connections")) ready.resolve();
  });
  child.once("error", ready.reject);
  child.once("close", () => ready.reject(new Error(`PostgreSQL did not start:\n${said}`)));
  await ready.promise;
  return child;
}

/** Ends the PostgreSQL of a folder, and removes it, once the process that wrote to its pipe is gone. */
const GUARD = `
trap '' INT TERM HUP
read -r dismissed && exit
read -r pid < "$0/postgresql/postmaster.pid" && kill -QUIT "$pid"
while kill -0 "$pid"; do sleep 0.1; done
rm -rf "$0"
`;

function startGuard(folder: string): { dismiss(): Promise<void> } {
  if (process.platform === "win32") return { dismiss: async () => {} };
  // In a session of its own, because what ends a whole one must not end it.
  const child = spawn("/bin/sh", ["-c", GUARD, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const exited = once(child, "exit");
  return {
    dismiss: async () => {
      child.stdin.end("dismissed\n");
      await exited;
    },
  };
}

/** A port of loopback that is free now. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
