import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import type { Published } from "./published-client.ts";

export const PACKAGE = "@dust-tt/client";
/** The published versions that are tested, the newest first. */
export const versions = ["1.2.8", "1.2.6", "1.0.50"];

/** Installs packages into a folder; why they could not be, where the registry is not reached. */
export async function install(
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

/** Opens a client of the version that is installed in a folder. */
export function openClient(
  folder: string,
  { url, workspaceId, apiKey }: { url: string; workspaceId: string; apiKey: string },
): Published {
  const { DustAPI } = createRequire(path.join(folder, "index.js"))(PACKAGE) as {
    DustAPI: new (config: object, credentials: object, logger: object) => Published;
  };
  const say = (): void => {};
  const logger = { trace: say, debug: say, info: say, warn: say, error: say };
  return new DustAPI({ url }, { workspaceId, apiKey }, logger);
}
