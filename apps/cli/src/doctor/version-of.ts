import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { environmentForOthers } from "../config.ts";
import { ANSWER_MS } from "./surroundings.ts";

/** The version that an installed program says; undefined where it does not run. */
export async function versionOf(
  environment: NodeJS.ProcessEnv,
  program: string,
): Promise<string | undefined> {
  return promisify(execFile)(program, ["--version"], {
    timeout: ANSWER_MS,
    env: environmentForOthers(environment),
  }).then(
    ({ stdout }) => /\d[\w.]*/.exec(stdout)?.[0] ?? "of no version",
    () => undefined,
  );
}
