// Vitest puts this in the place of packages/core/src/untrusted/thread-module.ts.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { threadModule as moduleOfSources } from "../../../packages/core/src/untrusted/thread-module.ts";
import { buildOfRun } from "./run-build.ts";

/** The URL of a module that threads import: of the run's build if there is one, where no thread strips types. */
export function threadModule(name: string, importer: string): string {
  const build = buildOfRun();
  return build === undefined
    ? moduleOfSources(name, importer)
    : pathToFileURL(path.join(build, `${name}.js`)).href;
}
