import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ProgramLimits, runWatched } from "./run-watched.ts";

const MIB = 1_048_576;
const limits: ProgramLimits = {
  timeoutMs: 30_000,
  cpuMs: 30_000,
  memoryBytes: 1024 * MIB,
  addressBytes: 64 * 1024 * MIB,
  outputBytes: MIB,
};

const run = (command: readonly string[], more: Partial<ProgramLimits> = {}, signal?: AbortSignal) =>
  runWatched({ command, env: {}, limits: { ...limits, ...more }, ...(signal ? { signal } : {}) });
const node = (code: string) => [process.execPath, "--eval", code];
/** A program that is started by another, which only waits. */
const within = (code: string) => [
  ...node(
    `require("child_process").spawnSync(process.execPath, ["--eval", ${JSON.stringify(code)}], {stdio: "inherit"})`,
  ),
];
const grow = "const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 5);";
const thread = `new (require("worker_threads").Worker)("for (;;);", {eval: true});`;

describe.runIf(process.platform === "linux")("a watched program", () => {
  it("ends with its output, errors and status", async () => {
    const ended = await run(node(`console.log("out"); console.error("err"); process.exit(3)`));
    expect(ended).toMatchObject({ status: 3, errors: "err\n", exceeded: undefined });
    expect(ended.output.toString()).toBe("out\n");
    expect(await run(["there-is-no-such-program"])).toMatchObject({ status: 127 });
  });

  it.each([
    ["memory", node(grow), { memoryBytes: 256 * MIB }, "memory"],
    ["memory of what it has started", within(grow), { memoryBytes: 256 * MIB }, "memory"],
    ["processor time of a thread", node(thread), { cpuMs: 1000 }, "processor"],
    ["processor time of what it has started", within("for (;;);"), { cpuMs: 1000 }, "processor"],
    ["time", node("setInterval(() => {}, 1000)"), { timeoutMs: 300 }, "time"],
    ["output", ["yes"], {}, "output"],
    ["errors", ["sh", "-c", "yes >&2"], {}, "output"],
  ] as const)("is ended for its %s", async (_name, command, more, exceeded) => {
    expect(await run(command, more)).toMatchObject({ status: null, exceeded });
  });

  it("is held to its addresses by the kernel, whoever looks", async () => {
    const { status, errors } = await run(node(grow), {
      memoryBytes: Infinity,
      addressBytes: 1792 * MIB,
    });
    expect(status).not.toBe(0);
    expect(errors).toMatch(/memory|allocation/i);
  });

  it("is ended for what it writes to a disk, in files of any size", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "parley-disk-"));
    try {
      const disk = { folder, bytes: 16 * MIB };
      const script = (code: string) => ["sh", "-c", `cd ${folder} && ${code}`];
      const many = script("i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $i; done");
      expect(await run(many, { disk })).toMatchObject({ exceeded: "disk" });
      await rm(path.join(folder, "1"));
      const one = await run(script("rm -f [0-9]*; exec head -c 40000000 /dev/zero > one"), {
        disk,
      });
      expect(one).not.toMatchObject({ status: 0 });
      const fast = script("rm -f one; for i in 1 2 3 4; do head -c 5000000 /dev/zero > $i; done");
      expect(await run(fast, { disk })).toMatchObject({ exceeded: "disk" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("leaves nothing running", async () => {
    const script = "sleep 1000 & echo $!";
    const { output, status } = await run(["sh", "-c", script]);
    expect(status).toBe(0);
    await expect.poll(() => isRunning(Number(output.toString()))).toBe(false);
    const controller = new AbortController();
    const running = run(["sleep", "1000"], {}, controller.signal);
    await sleep(20);
    controller.abort(new Error("Enough"));
    await expect(running).rejects.toThrow("Enough");
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
