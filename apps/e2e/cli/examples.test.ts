import { CommandError } from "@parley/command/command-error";
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

type Program = ReturnType<typeof createProgram>;

const { io, output } = openMemoryIo();
const program = createProgram(createContext(io, connectClients));

/** The examples in the help of a command. */
function examplesIn(command: Program): string[] {
  const before = output.stdout.length;
  command.outputHelp();
  const help = output.stdout.slice(before);
  const [, lines = ""] = /\nExamples:\n((?: {2}parley .*\n?)+)$/.exec(help) ?? [];
  return lines.split("\n").flatMap((line) => (line === "" ? [] : [line.trim()]));
}

const find = (words: readonly string[]): Program =>
  words.reduce<Program>(
    (found, word) => found.commands.find((one) => one.name() === word) ?? found,
    program,
  );

const shown = entries.map((entry) => {
  return { ...entry, examples: examplesIn(find(entry.command.split(" "))) };
});

test("every help has examples, which its own command understands", async () => {
  // A program that says which command was called, and does nothing.
  const parser = createProgram(createContext(openMemoryIo().io, connectClients));
  let called = "";
  const prepare = (command: Program, words: readonly string[]): void => {
    command.action(() => void (called = words.join(" ")));
    for (const one of command.commands) prepare(one, [...words, one.name()]);
  };
  for (const one of parser.commands) prepare(one, [one.name()]);
  const wrong: string[] = [];
  for (const { command, examples } of shown) {
    for (const line of examples) {
      try {
        await parser.parseAsync(wordsOf(line).slice(1), { from: "user" });
        if (called !== command) wrong.push(`${command}: ${line}`);
      } catch (error) {
        wrong.push(`${command}: ${line}: ${String(error)}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(shown.filter(({ examples }) => examples.length === 0)).toEqual([]);
});

test("groups show examples of their commands", () => {
  expect(examplesIn(find(["agents", "versions"]))).toEqual([
    "parley agents versions list Clerk",
    "parley agents versions get Clerk 3",
    "parley agents versions diff Clerk 3",
  ]);
  expect(examplesIn(program)).toContain("parley serve --demo");
});

test("the values in examples are right: a server would be called, or a file read", async () => {
  const connect = () => {
    throw new CommandError("Would be called");
  };
  const environment = { PARLEY_URL: "http://127.0.0.1:9", PARLEY_API_KEY: "sk-example" };
  // Those that call a server without clients, make files or need no server.
  const apart = new Set(["login", "status", "chat", "functions init"]);
  const wrong: string[] = [];
  for (const { examples, ...entry } of shown) {
    if (!mayRunInside(entry) || apart.has(entry.command)) continue;
    for (const line of examples) {
      const { stderr } = await runCli(wordsOf(line).slice(1), { environment, connect, stdin: "x" });
      if (!/Would be called|no such (?:file|folder)|ENOENT/.test(stderr)) {
        wrong.push(`${line}: ${stderr}`);
      }
    }
  }
  expect(wrong).toEqual([]);
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
