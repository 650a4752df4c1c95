import { failBy, type Finding, ok } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

const WHAT = "settings";

/** Every setting that is unknown or wrong, of the environment and of `.env`. */
export async function checkSettings({ faults, file }: Surroundings): Promise<readonly Finding[]> {
  const source = file === undefined ? "the environment" : `the environment and ${file}`;
  if (faults.length === 0) return [ok(WHAT, `those of ${source} are valid`)];
  return faults.map((fault) => failBy(WHAT, fault, "parley serve --help names the settings"));
}
