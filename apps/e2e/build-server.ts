import { existsSync, globSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { build } from "rolldown";
import type { TestProject } from "vitest/node";
import config from "../cli/rolldown.config.ts";
import { ensureConsole } from "./build-console.ts";
import { BUILD_VARIABLE } from "./built/run-build.ts";
import { removeInstalled } from "./cli/golden/remove-installed.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the run's build of the server. */
    build: string;
  }
}

const cli = path.resolve(import.meta.dirname, "../cli");

/**
 * Builds the server for a run of vitest, as its package is built, into a folder of the run's own. Gives
 * what removes it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = path.join(cli, `dist/test-${process.pid}`);
  project.provide("build", folder);
  await removeLeftOver();
  // Another project of the run may have built it.
  if (!existsSync(folder)) {
    await ensureConsole();
    await build({
      ...config,
      cwd: cli,
      input: { ...(config.input as Record<string, string>), host: "../e2e/server-host.ts" },
      output: {
        dir: path.join(folder, "bin"),
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
      },
      logLevel: "warn",
    });
  }
  process.env[BUILD_VARIABLE] = path.join(folder, "bin");
  return async () => {
    await rm(folder, { recursive: true, force: true });
    await removeInstalled(folder);
  };
}

/** Removes the builds of runs that were killed. */
async function removeLeftOver(): Promise<void> {
  for (const name of globSync("dist/test-*", { cwd: cli })) {
    if (!isRunning(Number(name.split("-").at(-1)))) {
      await rm(path.join(cli, name), { recursive: true, force: true });
    }
  }
}

/** Whether a process is there. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
