import { openMemoryIo } from "@parley/command/testing";
import { connectClients, createContext, createProgram } from "parley-server";
import { expect, test } from "vitest";
import { entries } from "./golden/entries/all.ts";
import { mayRunInside } from "./golden/run-command.ts";
import { runCli } from "./run-cli.ts";

/** The words of a line as a shell divides it. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, three]) => {
    return one ?? two ?? three ?? "";
  });

/** The examples in the help of a command. */
async function examplesIn(words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCli([...words, "--help"]);
  const [, lines = ""] = /\nExamples:\n((?: {2}parley .*\n?)+)/.exec(stdout) ?? [];
  return lines.trim().split(/\n */);
}

/** A program that says which command was called with which arguments, and does nothing. */
function openParser() {
  const program = createProgram(createContext(openMemoryIo().io, connectClients));
  let called: string | undefined;
  const prepare = (command: ReturnType<typeof createProgram>, path: string): void => {
    command.action(() => (called = path));
    for (const one of command.commands) prepare(one, `${path} ${one.name()}`);
  };
  for (const one of program.commands) prepare(one, one.name());
  return (words: readonly string[]): string | undefined => {
    called = undefined;
    program.parse(words, { from: "user" });
    return called;
  };
}

test("every help has examples, which its own command understands", async () => {
  const parse = openParser();
  for (const { command } of entries) {
    const examples = await examplesIn(command.split(" "));
    expect(examples[0], command).toMatch(/^parley \S/);
    for (const line of examples) {
      expect([line, parse(wordsOf(line).slice(1))]).toEqual([line, command]);
    }
  }
});

test("groups show examples of their commands", async () => {
  expect(await examplesIn(["agents", "versions"])).toEqual([
    "parley agents versions list Clerk",
    "parley agents versions get Clerk 3",
    "parley agents versions diff Clerk 3",
  ]);
  expect(await examplesIn([])).toContain("parley serve --demo");
});

test("the values in examples are right: a server would be called, or a file read", async () => {
  const connect = () => {
    throw Object.assign(new Error("Would be called"), { name: "CommandError" });
  };
  const key = "sk-example";
  const environment = { PARLEY_URL: "http://127.0.0.1:9", PARLEY_API_KEY: key };
  // Those of the machine, and what waits for a person.
  const apart = new Set(["login", "chat", "functions init", "functions record", "help"]);
  for (const entry of entries) {
    if (!mayRunInside(entry) || apart.has(entry.command)) continue;
    for (const line of await examplesIn(entry.command.split(" "))) {
      const { stderr } = await runCli(wordsOf(line).slice(1), { environment, connect, stdin: "x" });
      expect(stderr, line).toMatch(/Would be called|no such (?:file|folder)|ENOENT/);
    }
  }
});

test("help shows what --help does, and refuses words that are no command", async () => {
  for (const words of [[], ["agents"], ["agents", "create"], ["ask"]]) {
    const { code, stdout } = await runCli(["help", ...words]);
    expect([code, stdout]).toEqual([0, (await runCli([...words, "--help"])).stdout]);
  }
  const { code, stdout, stderr } = await runCli(["help", "agents", "crate"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe("parley: unknown command 'crate'; see parley agents --help\n");
});
