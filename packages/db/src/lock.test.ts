import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DirectoryInUse, lockDirectory } from "./lock.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

/** Another process that locks the directory given to it, and holds it until it is killed. */
const HOLDER = `
import { lockDirectory } from ${JSON.stringify(new URL("lock.ts", import.meta.url).href)};
await lockDirectory(process.argv[1]);
process.stdout.write("locked");
setInterval(() => {}, 60_000);
`;

let directory: string;
let holder: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), "parley-lock-"));
  holder = undefined;
});
afterEach(async () => {
  await kill();
  await rm(directory, { recursive: true });
});

async function holdElsewhere(): Promise<number> {
  holder = spawn(process.execPath, ["--input-type=module", "--eval", HOLDER, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout!, "data");
  return holder.pid!;
}

async function kill(): Promise<void> {
  if (holder === undefined || holder.signalCode !== null) return;
  const ended = once(holder, "exit");
  holder.kill("SIGKILL");
  await ended;
}

describe("lockDirectory", () => {
  it("refuses within 2 s what another process holds, and names that process", async () => {
    const pid = await holdElsewhere();
    const startedAt = performance.now();
    const refused = lockDirectory(directory);
    await expect(refused).rejects.toThrow(DirectoryInUse);
    await expect(refused).rejects.toThrow(
      `${directory} is in use by process ${pid}, started at 20`,
    );
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });

  it("leaves the holder its lock when another was refused", async () => {
    await holdElsewhere();
    await expect(lockDirectory(directory)).rejects.toThrow(DirectoryInUse);
    await expect(lockDirectory(directory)).rejects.toThrow(DirectoryInUse);
  });

  it("is free once its holder was killed", async () => {
    await holdElsewhere();
    await kill();
    expect(existsSync(path.join(directory, "holder.json"))).toBe(true);
    const lock = await lockDirectory(directory);
    lock.release();
  });

  it("is free once it was released, and names nobody then", async () => {
    const first = await lockDirectory(directory);
    first.release();
    expect(existsSync(path.join(directory, "holder.json"))).toBe(false);
    const second = await lockDirectory(directory);
    second.release();
  });

  it("takes no process for the holder because of a file that was left behind", async () => {
    const left = { pid: process.ppid, startedAt: new Date().toISOString() };
    await writeFile(path.join(directory, "holder.json"), JSON.stringify(left));
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(`in use by process ${process.pid},`);
    lock.release();
  });

  it.each(["", "null"])("refuses also if the holder's file says %j", async (text) => {
    await holdElsewhere();
    await writeFile(path.join(directory, "holder.json"), text);
    await expect(lockDirectory(directory)).rejects.toThrow("is in use by another process");
  });

  it.skipIf(!hasStrace).each(["ENOLCK", "EOPNOTSUPP"])(
    "says so if the file system answers every lock with %s",
    (code) => {
      const files = ["lock.sqlite", "lock-trial.sqlite"].map((name) => path.join(directory, name));
      const inject = ["-e", "trace=fcntl", "-e", `inject=fcntl:error=${code}`];
      const strace = ["-f", "-qq", "-o", "/dev/null", ...files.flatMap((one) => ["-P", one])];
      const command = [process.execPath, "--input-type=module", "--eval", HOLDER, directory];
      const { stderr } = spawnSync("strace", [...strace, ...inject, ...command], {
        encoding: "utf8",
      });
      expect(stderr).toContain(`${directory} cannot be used: its file system has no locks`);
    },
  );
});
