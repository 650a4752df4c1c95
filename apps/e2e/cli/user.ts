import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Program, type Server, startProgram } from "../server.ts";

type Settings = Parameters<typeof startProgram>[1];

/** The command line of a user without settings, in folders of its own. */
export async function openUser() {
  const home = await mkdtemp(path.join(os.tmpdir(), "parley-home-"));
  onTestFinished(async () => rm(home, { recursive: true }));
  const start = (args: readonly string[], input = "", settings: Settings = {}): Program => {
    // Profiles are found there.
    const given = { XDG_CONFIG_HOME: home, ...settings } as Settings;
    return startProgram(args, given, { input, cwd: home });
  };
  const run = async (args: readonly string[], input?: string, settings?: Settings) => {
    const program = start(args, input, settings);
    return { code: await program.exited, ...program.output };
  };
  return { file: path.join(home, "parley/profiles.json"), start, run };
}

/** What names a server and the key of its demo's admin in the environment. */
export const settingsOf = ({ url, demo }: Server): Settings => ({
  PARLEY_URL: url,
  PARLEY_API_KEY: demo.adminKey,
});
