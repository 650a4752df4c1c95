import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Program, type Server, type Settings, startProgram } from "../server.ts";
import { type Ran, runCli } from "./run-cli.ts";

type Environment = Readonly<Record<string, string>>;

interface Seen {
  readonly settings?: Settings | Environment;
  readonly columns?: number;
  readonly stdin?: string;
}

/** The command line of a user without settings, in folders of its own: in this process, or in one of its own. */
export async function openUser() {
  const home = await mkdtemp(path.join(os.tmpdir(), "parley-home-"));
  onTestFinished(async () => rm(home, { recursive: true }));
  // Profiles are found there.
  const environmentOf = (settings: Environment): Environment => ({
    XDG_CONFIG_HOME: home,
    ...settings,
  });
  /** Starts a process, for what only a process shows. */
  const start = (args: readonly string[], input = "", settings: Settings = {}): Program =>
    startProgram(args, environmentOf(settings), { input, cwd: home });
  const run = async (args: readonly string[], input = "", settings: Settings = {}): Promise<Ran> =>
    runCli(args, { stdin: input, environment: environmentOf(settings), cwd: home });
  /** Runs a command on a terminal, into which these keys are typed. */
  const see = async (
    args: readonly string[],
    { settings = {}, columns = 80, stdin = "" }: Seen = {},
  ): Promise<Ran> => {
    const environment = { TERM: "xterm-256color", ...environmentOf(settings) };
    return runCli(args, { stdin, columns, environment, cwd: home });
  };
  return { home, file: path.join(home, "parley/profiles.json"), start, run, see };
}

/** What names a server and the key of its demo's admin in the environment. */
export const settingsOf = ({ url, demo }: Server): Settings => ({
  PARLEY_URL: url,
  PARLEY_API_KEY: demo.adminKey,
});
