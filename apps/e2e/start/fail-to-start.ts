import { expect } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { type Settings, startProgram, within } from "../server.ts";

type Environment = Settings & Readonly<Record<string, string>>;

interface Options {
  readonly args?: readonly string[];
  /** The folder that it starts in. */
  readonly cwd?: string;
}

/**
 * Runs a command of a server in this process: it ends with exit code 1 and prints nothing to standard output. Gives
 * what it says to standard error.
 */
export async function failToStart(
  environment: Environment,
  { args = ["serve"], ...folder }: Options = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { environment, ...folder });
  expect(code, stdout).toBe(1);
  expect(stdout).toBe("");
  return stderr;
}

/** The same of a process, for what only one shows: its log, a lock, what is left when it has gone. */
export async function failAsProcess(
  settings: Environment,
  { args = ["serve"], ...place }: Options & { readonly main?: readonly string[] } = {},
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
