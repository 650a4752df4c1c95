import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where Debian keeps PostgreSQL's programs, by version. */
const INSTALLED = "/usr/lib/postgresql";

/** The folder of `initdb` and `pg_ctl`; undefined where there is none. */
export function findPostgres(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  const versions = readdirSync(INSTALLED).toSorted((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => path.join(INSTALLED, version, "bin"))
    .find((bin) => existsSync(path.join(bin, "initdb")));
}

/** A PostgreSQL of a test's own, which it may kill. */
export interface PostgresCluster extends AsyncDisposable {
  readonly port: number;
  /** Stops it as a crash would: nothing is finished or flushed. */
  stopAtOnce(): Promise<void>;
  start(): Promise<void>;
}

/** Makes an empty cluster on a free port of the loopback, and starts it. */
export async function startCluster(bin: string): Promise<PostgresCluster> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-cluster-"));
  const data = path.join(folder, "data");
  const port = await findFreePort();
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  await chmod(folder, 0o777);
  const options = { cwd: folder };
  const program = async (name: string, args: readonly string[]): Promise<void> => {
    const file = path.join(bin, name);
    if (isRoot) await run("su", ["postgres", "-c", [file, ...args].map(quote).join(" ")], options);
    else await run(file, args, options);
  };
  const flags = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200`;
  const start = () =>
    program("pg_ctl", ["-D", data, "-w", "-l", path.join(folder, "log"), "-o", flags, "start"]);
  const stop = (mode: string) => program("pg_ctl", ["-D", data, "-w", "-m", mode, "stop"]);
  await program("initdb", ["-D", data, "-A", "trust", "-U", "root", "--no-sync"]);
  await start();
  return {
    port,
    start,
    stopAtOnce: () => stop("immediate"),
    [Symbol.asyncDispose]: async () => {
      await stop("immediate").catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
