// Vitest puts this in the place of packages/sandbox/src/entry-file.ts.
import path from "node:path";
import { entryFile as entryOfSources } from "../../../packages/sandbox/src/entry-file.ts";
import { buildOfRun } from "./run-build.ts";

/** The path of a file that processes of the sandbox run: of the run's build if there is one, where no process strips types. */
export function entryFile(name: Parameters<typeof entryOfSources>[0]): string {
  const build = buildOfRun();
  return build === undefined ? entryOfSources(name) : path.join(build, `${name}.js`);
}
