import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { listens } from "./embedded/endpoint.ts";
import { findUnfitSession, openPostgres } from "./open-postgres.ts";
import { findFreePort } from "../testing/cluster.ts";
import { startCluster, type TestCluster } from "../testing/index.ts";
import { isDatabaseUnavailable } from "./unavailable.ts";

const hasPgbouncer = ((): boolean => {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    console.info("Skipped, because pgbouncer is not installed: sessions behind a pooler");
    return false;
  }
})();

const IGNORED = "options,statement_timeout,idle_in_transaction_session_timeout";

describe.skipIf(!hasPgbouncer)("PostgreSQL behind PgBouncer", { timeout: 60_000 }, () => {
  let cluster: TestCluster;
  beforeAll(async () => void (cluster = await startCluster()), 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Starts a pooler before the cluster; a connection to it is one of the cluster's owner. */
  async function startPooler(poolMode: string, ignored = IGNORED) {
    const folder = await mkdtemp(path.join(os.tmpdir(), "parley-pooler-"));
    await chmod(folder, 0o755);
    const port = await findFreePort();
    const { username, password } = new URL(cluster.url);
    const file = path.join(folder, "pgbouncer.ini");
    const target = `host=127.0.0.1 port=${cluster.port} user=${username} password=${password}`;
    await writeFile(
      file,
      `[databases]
postgres = ${target} dbname=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
ignore_startup_parameters = ${ignored}
`,
    );
    const isRoot = process.getuid?.() === 0;
    const asUser = isRoot ? ["-u", "nobody"] : [];
    const pooler: ChildProcess = spawn("pgbouncer", [...asUser, file], { stdio: "ignore" });
    await vi.waitFor(async () => expect(await listens(port)).toBe(true), 10_000);
    return {
      url: `postgres://${username}@127.0.0.1:${port}/postgres`,
      [Symbol.asyncDispose]: async () => {
        const exited = once(pooler, "exit");
        pooler.kill("SIGKILL");
        await exited;
        await rm(folder, { recursive: true });
      },
    };
  }

  it("with a session for each connection is refused for the settings that are dropped", async () => {
    await using pooler = await startPooler("session");
    const opened = openPostgres({ url: pooler.url });
    await expect(opened).rejects.toThrow(
      /cannot be used: its settings are dropped on the way \(.*enable_seqscan is on, not off.*statement_timeout is 0/,
    );
    await expect(opened).rejects.toSatisfy(isDatabaseUnavailable);
    const found = await findUnfitSession(pooler.url, { timeoutMs: 5000 });
    expect(found?.reason).toContain("enable_seqscan");
    expect(await findUnfitSession(cluster.url, { timeoutMs: 5000 })).toBeUndefined();
  });

  it.each([
    ["transaction", "connections change their session between transactions"],
    ["statement", "it takes no transactions"],
  ])("in the mode %s is refused for its sessions", async (poolMode, reason) => {
    await using pooler = await startPooler(poolMode);
    const refused = new RegExp(`cannot be used: ${reason} .*pool_mode must be session.*: connect`);
    await expect(openPostgres({ url: pooler.url })).rejects.toThrow(refused);
  });

  it("that refuses parameters is refused with the name of the parameter", async () => {
    await using pooler = await startPooler("session", "");
    await expect(openPostgres({ url: pooler.url })).rejects.toThrow(
      /unsupported startup parameter: (?:statement_timeout|options|idle)/,
    );
  });
});
