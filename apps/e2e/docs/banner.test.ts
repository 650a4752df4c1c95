import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openTerminal } from "../cli/terminal.ts";
import { builtFile } from "../programs.ts";
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

/** The lines of a start that are not of the log, once there is one of this form. */
const bannerIn = (read: () => string, last: RegExp): Promise<string[]> =>
  eventually(async () => {
    const whole = read().split(/\r?\n/).slice(0, -1);
    const lines = whole.filter((line) => !line.startsWith("{"));
    return lines.some((line) => last.test(line)) ? { value: lines } : {};
  }, 30_000);

const CHAT = /^ +(?:PARLEY_DATA_DIR='.*' )?parley chat /m;

/** The command that a banner shows, as people copy it, in a shell that has `parley`. */
function copiedFrom(banner: readonly string[]): string {
  const commands = banner.filter((line) => CHAT.test(line));
  expect(commands).toHaveLength(1);
  return `parley() { '${process.execPath}' '${builtFile("parley.js")}' "$@"; }; ${commands[0]?.trim()}`;
}

/** The environment of a person who has set nothing. */
const withoutServer = { HOME: "/nonexistent" };

const ANSWER = "I am a simulated agent";
const readDemo = async ({ directory }: Place) =>
  JSON.parse(await readFile(path.join(directory, "demo.json"), "utf8")) as Demo;

test("a start that is logged names the file of the keys, and no key, and its commands work", async () => {
  await using place = await createPlace({ isEmbedded: true });
  // A process of its own, whose output is read.
  await using server = await startServer(place);
  const banner = await bannerIn(() => server.output.stdout, CHAT);
  const file = path.join(place.directory, "demo.json");
  expect(banner.slice(0, 4)).toEqual([
    `Parley listens on ${server.url}`,
    `  Console:   ${server.url}/`,
    `  Docs:      ${server.url}/docs/`,
    `  Keys:      ${file} (only you can read it)`,
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(banner.length).toBeLessThanOrEqual(10);
  expect(banner.join("\n")).not.toContain("sk-");
  const once = `${copiedFrom(banner)} --once "Hello!"`;
  const { stdout } = await run("/bin/bash", ["--norc", "-euc", once], { env: withoutServer });
  expect(stdout).toContain(ANSWER);
  const reference = await fetch(`${server.url}/docs/api`);
  expect([reference.status, await reference.text()]).toEqual([
    200,
    expect.stringContaining("reference"),
  ]);
});

/** A program of Node that runs a command in a shell, on its own terminal. */
const inShell = (command: string) => {
  const args = JSON.stringify(["--norc", "-c", command]);
  const source = `process.exitCode = child_process.spawnSync("/bin/bash", ${args}, { stdio: "inherit" }).status`;
  return { main: ["-e", source], settings: withoutServer };
};

test("a start in a terminal has a link that signs in once, no line for programs, and a command that talks", async () => {
  await using place = await createPlace({ isEmbedded: true });
  const settings = { ...settingsFor(place), PARLEY_LOG_LEVEL: "info" };
  const server = openTerminal(["serve", "--demo"], { settings, columns: 300 });
  await server.waitFor(CHAT, 30_000);
  const { adminKey, url } = await readDemo(place);
  expect(server.scrollback()).not.toContain("{");
  expect(server.scrollback()).not.toContain(adminKey);
  const lines = server.scrollback().split("\n");
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d info {2}Starting PostgreSQL in /);
  const banner = lines.filter((line) => !/^\d\d:\d\d:\d\d /.test(line));
  expect(banner.length).toBeLessThanOrEqual(10);
  const link = banner.find((line) => line.startsWith("  Console:   "));
  expect(link).toMatch(/#code=sc-\w{40}$/);
  const authorization = `Bearer ${link?.split("#code=")[1]}`;
  const signIn = () => fetch(`${url}/api/session`, { method: "POST", headers: { authorization } });
  expect((await signIn()).status).toBe(200);
  expect((await signIn()).status).toBe(401);
  const chat = openTerminal([], inShell(copiedFrom(banner)));
  await chat.waitFor("helper>");
  chat.write("Hello!\r");
  await chat.waitFor(ANSWER);
  chat.write("\u0004");
  expect(await within(12_000, chat.exited)).toBe(0);
  server.signal("SIGTERM");
  expect(await within(12_000, server.exited)).toBe(0);
});

test("a start without a demo says how to get the first key, until there is one", async () => {
  await using place = await createPlace();
  const bannerOf = async (): Promise<string[]> => {
    const program = startProgram(["serve"], settingsFor(place));
    try {
      return await bannerIn(() => program.output.stdout, /^ {2}Docs/);
    } finally {
      program.signal("SIGTERM");
      await within(12_000, program.exited);
    }
  };
  const first = "  Keys:      create the first one with parley keys bootstrap";
  expect(await bannerOf()).toContain(first);
  expect(await within(30_000, startProgram(["keys", "bootstrap"], settingsFor(place)).exited)).toBe(
    0,
  );
  expect(await bannerOf()).toHaveLength(3);
});
