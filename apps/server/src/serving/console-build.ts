import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ConsoleBuild } from "@parley/api";
import { CommandError } from "@parley/command/command-error";
import { environmentForOthers } from "@parley/command/environment";
import type { Io } from "@parley/command/io";
import type { Logger } from "pino";

/** Bound on the output that is kept to explain a failure, in characters. */
const MAX_OUTPUT = 4000;

/** The workspace, when this file runs from its sources. */
const workspace = path.resolve(import.meta.dirname, "../../../..");

export interface RunningBuild extends ConsoleBuild {
  /** The `parley` command, as the root of the workspace runs it. */
  readonly parleyCommand: string;
  /** Ends the build, if it still runs. */
  close(): Promise<void>;
}

/**
 * Builds the console of the workspace in a process of its own, which ends with this one. Turbo starts it, and
 * restores what it has built of the same sources before. Throws `CommandError` outside of a workspace.
 */
export function startConsoleBuild(
  { environment, signal: signals }: Pick<Io, "environment" | "signal">,
  logger: Logger,
  folder = workspace,
): RunningBuild {
  if (!existsSync(path.join(folder, "apps/console/vite.config.ts"))) {
    throw new CommandError("--build-console: an installed server contains its console");
  }
  const startedAt = performance.now();
  const run = `npx -y ${readPackageManager(folder)}`;
  const startCommand = `${run} start`;
  const turbo = path.join(folder, "node_modules/.bin/turbo");
  // In a group of its own, which a signal ends as a whole, and the terminal's does not reach.
  const build = spawn(
    turbo,
    ["run", "build", "--filter=@parley/console", "--output-logs=errors-only"],
    {
      cwd: folder,
      env: environmentForOthers(environment, { TURBO_TELEMETRY_DISABLED: "1", NO_COLOR: "1" }),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  if (build.pid !== undefined) giveWay(build.pid);
  let output = "";
  for (const stream of [build.stdout, build.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
    });
  }
  let state: "running" | "failed" | "done" = "running";
  const ended = Promise.withResolvers<void>();
  const end = (why: string | undefined): void => {
    ended.resolve();
    signals.off("exit", kill);
    if (isClosing || state !== "running") return;
    state = why === undefined ? "done" : "failed";
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (why === undefined) return logger.info({ seconds }, "The console is built");
    logger.error(
      { why, ...(output.trim() !== "" && { output: output.trim() }) },
      `The console could not be built; the server works without it. Fix it, then run ${startCommand}`,
    );
  };
  let isClosing = false;
  const kill = (): void => {
    try {
      // oxlint-disable-next-line no-restricted-properties -- its group, not this process
      if (build.pid !== undefined) process.kill(-build.pid, "SIGTERM");
    } catch {
      // It has ended.
    }
  };
  signals.once("exit", kill);
  build.once("error", ({ message }) => end(message));
  build.once("close", (code, signal) =>
    end(code === 0 ? undefined : `Turbo ended with ${signal ?? code}`),
  );
  return {
    folder: path.join(folder, "apps/console/dist"),
    state: () => state,
    startCommand,
    parleyCommand: `${run} parley`,
    close: async () => {
      isClosing = true;
      if (state !== "running") return;
      kill();
      await ended.promise;
    },
  };
}

/** Lets the server start first. */
function giveWay(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It ended already, or may not be slowed: it builds all the same.
  }
}

function readPackageManager(folder: string): string {
  const text = readFileSync(path.join(folder, "package.json"), "utf8");
  return (JSON.parse(text) as { packageManager: string }).packageManager;
}
