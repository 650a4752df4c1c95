import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** Installs packages into a new folder; why they could not be, if the registry is not reached. */
export async function installPackages(
  folder: string,
  packages: readonly string[],
): Promise<string | undefined> {
  await mkdir(folder);
  await writeFile(path.join(folder, "package.json"), '{"private": true}\n');
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"];
  const options = { cwd: folder, timeout: 120_000 };
  try {
    await promisify(execFile)("npm", [...args, ...packages], options);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const [reason = ""] = said.split("\n").filter((line) => /code E|ENOENT|timed out/.test(line));
    return `${packages.join(", ")} could not be installed: ${reason || said.slice(0, 200)}`;
  }
}
