import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { openMemoryIo } from "@parley/command/testing";
import { connectClients, createContext, createProgram, readVersion } from "parley-server";
import { beforeAll, describe, expect, test } from "vitest";
import { builtFile } from "../../programs.ts";
import { shareServer } from "../../server.ts";
import { shareShop } from "../../tools/shop-server.ts";
import { runCli } from "../run-cli.ts";
import { startDyingProxy } from "./dying-proxy.ts";
import { entries } from "./entries/all.ts";
import { normalise } from "./normalise.ts";
import { mayRunInside } from "./run-command.ts";
import { AS_IN_A_PIPE, describeFailing, failures, readSections } from "./situations.ts";

const outputs = path.join(import.meta.dirname, "outputs");
const fileOf = (command: string): string => `${command.replaceAll(" ", "-")}.txt`;
const sectionsOf = (command: string) =>
  readSections(readFileSync(path.join(outputs, fileOf(command)), "utf8"));

/** The words of every command that does something. */
function leavesOf(
  { commands }: Pick<ReturnType<typeof createProgram>, "commands">,
  words: readonly string[] = [],
): string[] {
  return commands.flatMap((one) => {
    const inner = [...words, one.name()];
    return one.commands.length === 0 ? [inner.join(" ")] : leavesOf(one, inner);
  });
}

test("every command has one entry, and its golden outputs", () => {
  const program = createProgram(createContext(openMemoryIo().io, connectClients));
  const commands = leavesOf(program).toSorted();
  expect(entries.map(({ command }) => command).toSorted()).toEqual(commands);
  expect(readdirSync(outputs).toSorted()).toEqual(commands.map(fileOf).toSorted());
});

test("every command is made without those of other groups, if it is the first word", () => {
  const context = createContext(openMemoryIo().io, connectClients);
  const ofAll = ["help", "completion", "complete"];
  const names = createProgram(context).commands.map((command) => command.name());
  for (const name of names.filter((one) => !ofAll.includes(one))) {
    const made = createProgram(context, name).commands.map((command) => command.name());
    expect(made).toContain(name);
    expect(made).not.toContain("help");
  }
});

test("every command has the help of its golden output", async () => {
  for (const { command } of entries) {
    const { code, stdout, stderr } = await runCli([...command.split(" "), "--help"]);
    expect(stderr).toBe("");
    const said = `exit ${code}\n--- stdout\n${stdout.replace(/\n*$/, "\n")}`;
    const known = { world: { home: process.cwd() }, ids: [], version: readVersion() };
    expect(normalise(said, known, { command }), command).toBe(sectionsOf(command).get("--help"));
  }
});

// All commands are run in every situation at night. Here one stands for those that say the same.
describe("a command says what is wrong", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();
  let closedPort = 0;
  beforeAll(async () => {
    await using proxy = await startDyingProxy({ host: "127.0.0.1", port: 1 }, 0);
    closedPort = proxy.port;
  });
  const titles = Object.keys(failures) as (keyof typeof failures)[];
  const cases = titles.flatMap((title) => {
    const said = Map.groupBy(entries.filter(mayRunInside), ({ command }) =>
      sectionsOf(command).get(title),
    );
    said.delete(AS_IN_A_PIPE);
    return [...said.values()].flatMap(([entry]) =>
      entry === undefined ? [] : [{ title, entry, command: entry.command }],
    );
  });
  test.for(cases)("$title: $command", async ({ title, entry }) => {
    const said = await describeFailing(title, entry, {
      main: builtFile("parley.js"),
      version: readVersion(),
      server: server(),
      closedPort,
      shop: shop(),
    });
    expect(said).toBe(sectionsOf(entry.command).get(title));
  });
});
