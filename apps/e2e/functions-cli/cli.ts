import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Ran, runCli } from "../cli/run-cli.ts";
import { type Program, type Server, startProgram } from "../server.ts";

type Settings = Readonly<Record<string, string>>;

/** How a command is started. */
export interface Given {
  readonly input?: string;
  readonly settings?: Settings;
}

/** `parley functions` in a folder of its own. */
export interface FunctionsCli {
  readonly folder: string;
  /** Starts a process of the build, for what only a process shows. */
  start(args: readonly string[], given?: Given): Program;
  /** Runs a command that succeeds, and gives what it printed. */
  run(
    args: readonly string[],
    given?: Given,
  ): Promise<{ readonly stdout: string; readonly stderr: string }>;
  /** Runs a command, and gives how it ended. */
  see(args: readonly string[], given?: Given): Promise<Ran>;
  /** Runs a command that fails and prints nothing to standard output; gives what it said. */
  fail(args: readonly string[], given?: Given): Promise<string>;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Writes members of a function.json again. */
  configure(name: string, members: object): Promise<void>;
}

/** Makes a folder for a test, and the command line beside a server, with the key of an admin. */
export async function openCli({ url, demo }: Pick<Server, "url" | "demo">): Promise<FunctionsCli> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-functions-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const server = {
    PARLEY_URL: url,
    PARLEY_WORKSPACE: demo.workspaceId,
    PARLEY_API_KEY: demo.adminKey,
  };
  const environmentOf = (settings: Settings = {}): Settings => ({ ...server, ...settings });
  const call = async (args: readonly string[], { input = "", settings }: Given = {}) =>
    runCli(["functions", ...args], {
      stdin: input,
      environment: environmentOf(settings),
      cwd: folder,
    });
  const read = async (file: string) => readFile(path.join(folder, file), "utf8");
  const write = async (file: string, text: string) => writeFile(path.join(folder, file), text);
  return {
    folder,
    start: (args, { input = "", settings } = {}) =>
      startProgram(["functions", ...args], environmentOf(settings), { input, cwd: folder }),
    read,
    write,
    see: call,
    run: async (args, given) => {
      const { code, ...output } = await call(args, given);
      expect([code, args, output.stderr]).toEqual([0, args, output.stderr]);
      return output;
    },
    fail: async (args, given) => {
      const { code, stdout, stderr } = await call(args, given);
      expect(stderr).toMatch(/^parley: /);
      const isMistake = /; see parley [a-z ]+ --help\n$/.test(stderr);
      expect([code, stdout]).toEqual([isMistake ? 2 : 1, ""]);
      return stderr.slice("parley: ".length);
    },
    configure: async (name, members) => {
      const before = JSON.parse(await read(`${name}/function.json`)) as object;
      await write(`${name}/function.json`, JSON.stringify({ ...before, ...members }));
    },
  };
}
