import { expect } from "vitest";
import { type Settings, startProgram, within } from "../server.ts";

interface Options {
  readonly args?: readonly string[];
  /** The folder that it starts in. */
  readonly cwd?: string;
  readonly main?: readonly string[];
}

/** Runs a command that ends with exit code 1 and prints nothing to standard output; gives what it says. */
export async function failToStart(
  settings: Settings & Readonly<Record<string, string>>,
  { args = ["serve"], ...place }: Options = {},
): Promise<string> {
  const program = startProgram(args, settings, place);
  expect(await within(30_000, program.exited), program.output.stdout).toBe(1);
  expect(program.output.stdout).toBe("");
  return program.output.stderr;
}

/** The one sentence that a failed start says, the server's log aside. */
export function sentenceOf(said: string): string {
  const lines = said.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  expect(lines, said).toHaveLength(1);
  expect(lines[0]).toMatch(/^parley: /);
  return lines[0] ?? "";
}
