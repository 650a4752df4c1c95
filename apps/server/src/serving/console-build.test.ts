import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type RunningBuild, startConsoleBuild } from "./console-build.ts";

let folder: string;
let build: RunningBuild | undefined;
let log: { level: number; msg: string; output?: string; why?: string }[];
beforeEach(async () => {
  log = [];
  folder = await mkdtemp(path.join(os.tmpdir(), "parley-workspace-"));
});
afterEach(async () => {
  await build?.close();
  await rm(folder, { recursive: true });
});

const io = { environment: { PATH: "/usr/bin:/bin" }, signal: process };
const logger = pino({ level: "info" }, { write: (line) => void log.push(JSON.parse(line)) });

/** Starts the build of a workspace whose Turbo is a script. */
async function start(turbo: string | undefined): Promise<RunningBuild> {
  await mkdir(path.join(folder, "apps/console"), { recursive: true });
  await mkdir(path.join(folder, "node_modules/.bin"), { recursive: true });
  await writeFile(path.join(folder, "apps/console/vite.config.ts"), "");
  await writeFile(
    path.join(folder, "package.json"),
    JSON.stringify({ packageManager: "pnpm@1.2.3" }),
  );
  if (turbo !== undefined) {
    const file = path.join(folder, "node_modules/.bin/turbo");
    await writeFile(file, `#!/bin/sh\n${turbo}\n`, { mode: 0o755 });
  }
  return (build = startConsoleBuild(io, logger, folder));
}

const becomes = (state: string): Promise<void> =>
  vi.waitFor(() => expect(build?.state()).toBe(state), { timeout: 10_000 });

it("runs beside the server, in the workspace, without telemetry, and is done when Turbo is", async () => {
  const fifo = "mkfifo go && echo $TURBO_TELEMETRY_DISABLED $* > called && read line < go && rm go";
  const { folder: files, parleyCommand } = await start(fifo);
  expect([files, parleyCommand]).toEqual([
    path.join(folder, "apps/console/dist"),
    "npx -y pnpm@1.2.3 parley",
  ]);
  const called = await vi.waitFor(() => readFile(path.join(folder, "called"), "utf8"));
  expect(called).toMatch(/^1 run build --filter=@parley\/console /);
  expect(build?.state()).toBe("running");
  await writeFile(path.join(folder, "go"), "\n");
  await becomes("done");
  // The documentation is built then, while the console is served.
  await vi.waitFor(async () =>
    expect(await readFile(path.join(folder, "called"), "utf8")).toContain("--filter=@parley/site"),
  );
  expect(log).toMatchObject([{ level: 30, msg: "The console is built" }]);
  await vi.waitFor(() => writeFile(path.join(folder, "go"), "\n", { flag: "r+" }));
  await vi.waitFor(() =>
    expect(log.slice(1)).toMatchObject([{ level: 30, msg: "The documentation is built" }]),
  );
});

it("says in the log why it failed, and what to do", async () => {
  await start("echo no such module >&2; exit 3");
  await becomes("failed");
  expect(log).toMatchObject([{ level: 50, output: "no such module", why: "Turbo ended with 3" }]);
  expect(log[0]?.msg).toContain("then run npx -y pnpm@1.2.3 start");
});

it("fails if Turbo is not installed, and the server continues", async () => {
  await start(undefined);
  await becomes("failed");
  expect(log).toMatchObject([{ level: 50, why: expect.stringContaining("ENOENT") }]);
});

const isLinux = process.platform === "linux";

it.skipIf(!isLinux)(
  "ends with the server, with what it has started, and reports nothing",
  async () => {
    await start("mkfifo go; sleep 1000 & echo $! > child; read line < go");
    const child = await vi.waitFor(async () => {
      const pid = Number(await readFile(path.join(folder, "child"), "utf8"));
      expect(pid).toBeGreaterThan(0);
      expect(await readFile(`/proc/${pid}/stat`, "utf8")).toContain("sleep");
      return pid;
    });
    await build?.close();
    // Whoever inherits it may collect it a moment later.
    await vi.waitFor(async () => {
      const stat = await readFile(`/proc/${child}/stat`, "utf8").catch(() => "gone");
      expect(stat).toMatch(/gone|\) Z /);
    });
    expect(log).toEqual([]);
  },
);

it("is refused outside of a workspace", () => {
  expect(() => startConsoleBuild(io, logger, folder)).toThrow(CommandError);
});
