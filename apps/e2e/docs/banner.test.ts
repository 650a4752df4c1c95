import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtFile, endWithThisProcess } from "../programs.ts";
import {
  createPlace,
  type Demo,
  eventually,
  type Place,
  settingsFor,
  startProgram,
  startServer,
  within,
} from "../server.ts";

const run = promisify(execFile);

/** The lines of a start that are no log, once there is one of this form. */
const bannerIn = (read: () => string, last: RegExp): Promise<string[]> =>
  eventually(async () => {
    const whole = read().split(/\r?\n/).slice(0, -1);
    const lines = whole.filter((line) => !line.startsWith("{"));
    return lines.some((line) => last.test(line)) ? { value: lines } : {};
  }, 30_000);

const CALL = /^ +curl /;

/** Runs the commands that a banner shows, as they stand. */
async function runCommands(banner: readonly string[]): Promise<unknown> {
  const commands = banner.filter((line) => /^ +(?:export|eval|curl) /.test(line));
  expect(commands).toHaveLength(2);
  const { stdout } = await run("bash", ["--norc", "-euc", commands.join("\n")]);
  return JSON.parse(stdout);
}

const answered = { conversation: { title: "Hello!", content: [[{}], [{ status: "succeeded" }]] } };
const readDemo = async ({ directory }: Place) =>
  JSON.parse(await readFile(path.join(directory, "demo.json"), "utf8")) as Demo;

test("a start that is logged names the file of the keys, and no key, and its commands work", async () => {
  await using place = await createPlace({ isEmbedded: true });
  // A process of its own, whose output is read.
  await using server = await startServer(place);
  const banner = await bannerIn(() => server.output.stdout, CALL);
  const file = path.join(place.directory, "demo.json");
  expect(banner.slice(0, 4)).toEqual([
    `Parley listens on ${server.url}`,
    `  Console:   ${server.url}/`,
    `  Reference: ${server.url}/docs`,
    `  Keys:      ${file}, which only its owner can read`,
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(banner.length).toBeLessThanOrEqual(10);
  expect(banner.join("\n")).not.toContain("sk-");
  expect(await runCommands(banner)).toMatchObject(answered);
  const reference = await fetch(`${server.url}/docs`);
  expect([reference.status, await reference.text()]).toEqual([
    200,
    expect.stringContaining("reference"),
  ]);
});

/** `script` gives a program a terminal. */
const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") ?? false;

test.skipIf(!hasScript)("a start in a terminal shows a key, and its commands work", async () => {
  await using place = await createPlace({ isEmbedded: true });
  const command = `${process.execPath} ${builtFile("parley.js")} serve --demo`;
  const terminal = spawn("script", ["--quiet", "--flush", "--command", command, "/dev/null"], {
    env: settingsFor(place),
    stdio: ["pipe", "pipe", "inherit"],
  });
  endWithThisProcess(terminal);
  const exited = once(terminal, "close");
  let shown = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  const banner = await bannerIn(() => shown, CALL);
  const { adminKey, workspaceId, url, pid } = await readDemo(place);
  expect(banner).toContain(`  export URL=${url} W=${workspaceId} KEY=${adminKey}`);
  expect(banner.length).toBeLessThanOrEqual(10);
  const link = banner.find((line) => line.startsWith("  Console:   "));
  expect(link).toMatch(/#code=sc-\w{40}$/);
  const authorization = `Bearer ${link?.split("#code=")[1]}`;
  const signIn = () => fetch(`${url}/api/session`, { method: "POST", headers: { authorization } });
  expect((await signIn()).status).toBe(200);
  expect((await signIn()).status).toBe(401);
  expect(await runCommands(banner)).toMatchObject(answered);
  process.kill(pid, "SIGTERM");
  await within(12_000, exited);
});

test("a start without a demo says how to get the first key, until there is one", async () => {
  await using place = await createPlace();
  const bannerOf = async (): Promise<string[]> => {
    const program = startProgram(["serve"], settingsFor(place));
    try {
      return await bannerIn(() => program.output.stdout, /^ {2}Reference/);
    } finally {
      program.signal("SIGTERM");
      await within(12_000, program.exited);
    }
  };
  const first = "  Keys:      parley keys bootstrap prints the first one";
  expect(await bannerOf()).toContain(first);
  expect(await within(30_000, startProgram(["keys", "bootstrap"], settingsFor(place)).exited)).toBe(
    0,
  );
  expect(await bannerOf()).toHaveLength(3);
});
