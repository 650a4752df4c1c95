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
 * Builds the console of the workspace, then the documentation, in processes of their own, which end with this one. Turbo
 * starts them, and restores what it has built of the same sources before. Throws `CommandError` outside of a workspace.
 */
export function startConsoleBuild(
  { environment, signal: signals }: Pick<Io, "environment" | "signal">,
  logger: Logger,
  folder = workspace,
): RunningBuild {
  if (!existsSync(path.join(folder, "apps/console/vite.config.ts"))) {
    throw new CommandError("--build-console: an installed server contains its console");
  }
  const run = `npx -y ${readPackageManager(folder)}`;
  const startCommand = `${run} start`;
  let state: "running" | "failed" | "done" = "running";
  let isClosing = false;
  let current: Build | undefined;
  const build = async (what: string, filter: string): Promise<boolean> => {
    const startedAt = performance.now();
    current = spawnBuild({ folder, environment, filter });
    const why = await current.why;
    if (isClosing) return false;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (why === undefined) logger.info({ seconds }, `The ${what} is built`);
    else {
      const output = current.output().trim();
      logger.error(
        { why, ...(output !== "" && { output }) },
        `The ${what} could not be built; the server works without it. Fix it, then run ${startCommand}`,
      );
    }
    return why === undefined;
  };
  const kill = (): void => current?.kill();
  signals.once("exit", kill);
  const building = (async () => {
    const isBuilt = await build("console", "@parley/console");
    if (isClosing) return;
    state = isBuilt ? "done" : "failed";
    // Few people read it first: the console does not wait for it.
    if (isBuilt) await build("documentation", "@parley/site");
  })().finally(() => signals.off("exit", kill));
  return {
    folder: path.join(folder, "apps/console/dist"),
    state: () => state,
    startCommand,
    parleyCommand: `${run} parley`,
    close: async () => {
      isClosing = true;
      kill();
      await building;
    },
  };
}

interface Build {
  /** Why it failed; undefined for one that succeeded. */
  readonly why: Promise<string | undefined>;
  /** The last of what it has printed. */
  output(): string;
  kill(): void;
}

/** Runs Turbo in a group of its own, which a signal ends as a whole, and the terminal's does not reach. */
function spawnBuild({
  folder,
  environment,
  filter,
}: Pick<Io, "environment"> & { readonly folder: string; readonly filter: string }): Build {
  const turbo = path.join(folder, "node_modules/.bin/turbo");
  const words = ["run", "build", `--filter=${filter}`, "--output-logs=errors-only"];
  const build = spawn(turbo, words, {
    cwd: folder,
    env: environmentForOthers(environment, { TURBO_TELEMETRY_DISABLED: "1", NO_COLOR: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  if (build.pid !== undefined) giveWay(build.pid);
  let output = "";
  for (const stream of [build.stdout, build.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
    });
  }
  const ended = Promise.withResolvers<string | undefined>();
  build.once("error", ({ message }) => ended.resolve(message));
  build.once("close", (code, signal) =>
    ended.resolve(code === 0 ? undefined : `Turbo ended with ${signal ?? code}`),
  );
  return {
    why: ended.promise,
    output: () => output,
    kill: () => {
      try {
        // oxlint-disable-next-line no-restricted-properties -- its group, not this process
        if (build.pid !== undefined) process.kill(-build.pid, "SIGTERM");
      } catch {
        // It has ended.
      }
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
