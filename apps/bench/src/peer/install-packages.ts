import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { makeDataDirectory } from "../parley-server.ts";

const WITHIN_MS = 180_000;

const InstalledTree = z.object({
  packages: z.record(z.string(), z.object({ version: z.string() })),
});

/** A folder with packages, which is gone with `resources`. */
export interface InstalledPackages {
  readonly folder: string;
  /** What is in it, with what the packages need: `name@version` each. */
  readonly names: readonly string[];
}

/**
 * Installs packages that are too large for everybody's workspace, without their scripts. Throws where
 * npm cannot, or takes longer than three minutes.
 */
export async function installPackages(
  resources: AsyncDisposableStack,
  packages: readonly string[],
): Promise<InstalledPackages> {
  const folder = await makeDataDirectory(resources);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  const words = ["install", "--prefix", folder, ...flags, ...packages];
  const installing = promisify(execFile)("npm", words, { cwd: folder, timeout: WITHIN_MS });
  resources.defer(async () => {
    installing.child.kill();
    await installing.catch(() => undefined);
  });
  await installing;
  const tree = await readFile(path.join(folder, "node_modules/.package-lock.json"), "utf8");
  const installed = Object.entries(InstalledTree.parse(JSON.parse(tree)).packages);
  const names = installed.map(
    ([at, { version }]) => `${at.replace(/^node_modules\//, "")}@${version}`,
  );
  return { folder, names };
}
