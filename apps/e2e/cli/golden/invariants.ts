import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { expect } from "vitest";
import type { Entry } from "./entry.ts";
import type { Outcome, Screen } from "./run-command.ts";

const ESCAPE = "\u001B";
/** What sets colours and other looks of text. */
export const LOOKS = new RegExp(`${ESCAPE}\\[[\\d;]*m`);
const BOLD = "\u001B[1m";
const STACK = /^\s+at .+:\d+:\d+\)?$/m;
/** One line, which ends with what to do next: after a colon, in brackets, or as a reference to the help. */
const ERROR = /^parley: [^\n]+(?:: |; | \(|\. )[^\n]+\n$/;

/** What holds for every command in a pipe. */
export function expectInPipe(entry: Entry, { exit, stdout, stderr }: Outcome): void {
  const all = stdout + stderr;
  expect(all, entry.command).not.toContain(ESCAPE);
  expect(all, entry.command).not.toMatch(STACK);
  expect([0, 1, 2, 3, "Ctrl-C"], `${entry.command}: ${all}`).toContain(exit);
  const lines = stderr.split(/(?<=\n)/).filter((line) => line.startsWith("parley: "));
  // The doctor's findings are its output.
  if (exit === 0 || entry.command === "doctor") {
    expect(lines, entry.command).toEqual([]);
    return;
  }
  if (exit === "Ctrl-C" && lines.length === 0) return;
  expect(lines, `${entry.command}: ${all}`).toHaveLength(1);
  expect(lines[0], entry.command).toMatch(ERROR);
  expect(stderr.endsWith(lines[0] ?? ""), `${entry.command}: ${stderr}`).toBe(true);
}

/** What holds for every command on a terminal: tables fit it. */
export function expectOnTerminal(entry: Entry, coloured: Screen): void {
  expect(coloured.text, entry.command).not.toMatch(STACK);
  const isTable = coloured.written.startsWith(BOLD);
  const widths = coloured.written
    .split("\n")
    .map((line) => stringWidth(stripVTControlCharacters(line)));
  if (isTable) expect(Math.max(...widths), coloured.text).toBeLessThanOrEqual(80);
}

/** No secret is in what a command prints, unless it is called for it. */
export function expectNoSecrets(entry: Entry, text: string, secrets: readonly string[]): void {
  if (entry.showsSecret === true) return;
  for (const secret of secrets) expect(text.includes(secret), entry.command).toBe(false);
}
