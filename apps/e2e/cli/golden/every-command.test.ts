import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { connectClients } from "../../../cli/src/connection/clients.ts";
import { createContext } from "../../../cli/src/context.ts";
import { openMemoryIo } from "../../../cli/src/testing/memory-io.ts";
import { createProgram } from "../../../cli/src/program.ts";
import { entries } from "./entries/all.ts";

type Command = ReturnType<typeof createProgram>;

/** The words of every command that does something. */
function leavesOf({ commands }: Command, words: readonly string[] = []): string[] {
  return commands.flatMap((one) => {
    const inner = [...words, one.name()];
    return one.commands.length === 0 ? [inner.join(" ")] : leavesOf(one, inner);
  });
}

test("every command has one entry, and its golden outputs", () => {
  const commands = leavesOf(
    createProgram(createContext(openMemoryIo().io, connectClients)),
  ).toSorted();
  expect(entries.map(({ command }) => command).toSorted()).toEqual(commands);
  const files = readdirSync(path.join(import.meta.dirname, "outputs")).toSorted();
  expect(files).toEqual(commands.map((name) => `${name.replaceAll(" ", "-")}.txt`).toSorted());
});
