import { CommandError } from "@parley/command/command-error";
import type { CommandContext } from "@parley/command/context";
import { reportFailure } from "@parley/command/failures";
import { lockDirectory } from "@parley/db/lock";
import { readServerSettings, type Settings } from "../config.ts";
import { openLog } from "../administration/administration.ts";
import { startConsoleBuild } from "./console-build.ts";
import type { RunningServer } from "./serve.ts";
import { type Parts, shutdownDelayOf } from "./shutdown-delay.ts";
import { startDatabase } from "../core/start-database.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Time for closing after the grace period of runs; then the process exits. */
const CLOSE_SLACK_MS = 4000;

interface RunOptions {
  readonly demo?: true;
  /** Whether to build the console of the workspace in the meantime. */
  readonly buildConsole?: true;
}

/** Runs a server, or a half of one, until a signal stops it. Throws `CommandError` if settings lack. */
export async function runServer(
  context: CommandContext,
  parts: Parts,
  options: RunOptions,
): Promise<void> {
  const settings = readServerSettings(context.io);
  const isWhole = parts.api && parts.worker;
  const isEmbedded = settings.DATABASE_URL === undefined;
  if (isEmbedded && !isWhole) {
    throw new CommandError(
      "DATABASE_URL: separate processes need a shared PostgreSQL; parley serve does not",
    );
  }
  const delayMs = shutdownDelayOf({ settings, parts });
  const withinMs = delayMs + settings.PARLEY_SHUTDOWN_PATIENCE_MS + CLOSE_SLACK_MS;
  const isOn = options.demo === true || settings.PARLEY_DEMO === "on" || isEmbedded;
  const demo = settings.PARLEY_DEMO !== "off" && isOn;
  const buildsConsole = options.buildConsole === true;
  const starting = start({ context, settings, parts, demo, isEmbedded, buildsConsole });
  // A signal during the start must stop what has been started.
  stopOnSignal(context, async () => (await starting).close(), withinMs);
  await starting;
}

interface Start {
  readonly context: CommandContext;
  readonly settings: Settings;
  readonly parts: Parts;
  readonly demo: boolean;
  readonly isEmbedded: boolean;
  readonly buildsConsole: boolean;
}

async function start(options: Start): Promise<RunningServer> {
  const { settings, parts, demo, isEmbedded } = options;
  const { io, readVersion } = options.context;
  // The lock comes before loading the server, so a second one on the directory is refused at once.
  const lock = isEmbedded ? await lockDirectory(settings.PARLEY_DATA_DIR) : undefined;
  const logger = await openLog(io, settings);
  const isTerminal = io.isTerminal.stdout;
  // Where people wait; a log of a start that fails says only why.
  const say = (message: string): void => void (isTerminal && logger.info(message));
  const consoleBuild = options.buildsConsole ? startConsoleBuild(io, logger) : undefined;
  if (consoleBuild !== undefined) say("Building the console in the background");
  say(isEmbedded ? `Starting PostgreSQL in ${settings.PARLEY_DATA_DIR}` : "Starting the server");
  // The database starts while the server is loaded.
  const [{ serve }, embedded] = await Promise.all([
    import("./serve.ts"),
    isEmbedded ? startDatabase(settings, logger, lock) : undefined,
  ]);
  // Nobody needs the banner: a server starts without.
  io.stdout.removeAllListeners("error").on("error", () => {});
  const print = (text: string): void => void io.stdout.write(text);
  return serve({
    readVersion,
    settings,
    logger,
    parts,
    demo,
    embedded,
    print,
    isTerminal,
    consoleBuild,
    onStarted: returnMemory,
  });
}

/** Closes the server at the first signal to stop; a second signal exits at once. */
function stopOnSignal(context: CommandContext, close: () => Promise<void>, withinMs: number): void {
  const { io } = context;
  let stopping = false;
  const stop = (): void => {
    if (stopping) io.exit(1);
    stopping = true;
    setTimeout(() => io.exit(1), withinMs).unref();
    close().then(
      () => io.exit(0),
      (error: unknown) => io.exit(reportFailure(context, error)),
    );
  };
  io.signal.on("SIGINT", stop);
  io.signal.on("SIGTERM", stop);
}

/**
 * Collects the garbage of the start and gives its pages back to the system: V8 would keep them for as long as
 * little happens, which is more than half of an idle server's memory. Blocks the process for about 0.1 s.
 */
function returnMemory(): void {
  // Node has no other way to ask for it; the flag only adds the function.
  setFlagsFromString("--expose-gc");
  // Only the last resort returns pages at once.
  const gc = runInNewContext("gc") as (options: object) => void;
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--no-expose-gc");
}
