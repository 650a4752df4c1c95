import { parseArgs } from "node:util";
import { lockDirectory } from "@parley/db/lock";
import { readSettings, type Settings } from "./config.ts";
import { describeFailure } from "./describe-failure.ts";
import { loadEnvironmentFile } from "./environment.ts";
import { renderHelp } from "./help.ts";
import type { Parts, RunningServer } from "./server/serve.ts";
import { shutdownDelayOf } from "./server/shutdown-delay.ts";
import { startDatabase } from "./server/start-database.ts";
import { CommandError } from "./command-error.ts";
import { readVersion } from "./read-version.ts";
import type { ServerCommand } from "./connection/server-command.ts";

/** Time for closing after the grace period of runs; then the process exits. */
const CLOSE_SLACK_MS = 4000;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Standard output is for the output of a command. */
const reportLine = (line: string): void => void process.stderr.write(`${line}\n`);

type Command = (args: string[]) => Promise<void>;

/** The commands of `parley`, by their words. */
const commands: Readonly<Record<string, Command>> = {
  serve: (args) => run(args, { api: true, worker: true }),
  api: (args) => run(args, { api: true, worker: false }),
  worker: (args) => run(args, { api: false, worker: true }),
  migrate: async (args) => {
    refuseArguments(args);
    const { migrate } = await import("./server/administer.ts");
    await migrate(await administration(), printLine);
  },
  "keys bootstrap": async (args) => {
    refuseArguments(args);
    const { bootstrapKeys } = await import("./server/administer.ts");
    await bootstrapKeys(await administration(), printLine);
  },
  export: async (args) => {
    const { exportAll } = await import("./server/transfer.ts");
    await exportAll(await administration(), fileOf(args), reportLine);
  },
  import: async (args) => {
    const { importAll } = await import("./server/transfer.ts");
    await importAll(await administration(), fileOf(args), reportLine);
  },
  "database url": async (args) => {
    refuseArguments(args);
    const { describeDatabaseUrl } = await import("./server/database-url.ts");
    printLine(await describeDatabaseUrl(readSettings()));
  },
  console: async (args) => {
    const { openConsole } = await import("./open-console.ts");
    await openConsole(args, printLine);
  },
  "skills import": async (args) => {
    const { importSkills } = await import("./skills/import-skills.ts");
    await importSkills(args, printLine);
  },
  tools: async (args) => {
    const { toolCommands } = await import("./tools/tool-commands.ts");
    await runSecond("tools", toolCommands, args);
  },
  "functions record": async (args) => {
    const { recordFunction } = await import("./functions/record-function.ts");
    await recordFunction(args, printLine);
  },
  functions: async (args) => {
    const { functionCommands } = await import("./functions/function-commands.ts");
    await runSecond("functions", functionCommands, args);
  },
};

/** The file whose settings were added to the environment. */
let environmentFile: string | undefined;

async function main(): Promise<void> {
  // New files are readable by their owner only.
  process.umask(0o077);
  const words = process.argv.slice(2);
  const isHelp = words.includes("--help") || words.includes("-h") || words.length === 0;
  if (isHelp) return void process.stdout.write(renderHelp());
  if (words[0] === "--version" || words[0] === "-v") return printLine(readVersion());
  environmentFile = loadEnvironmentFile();
  for (const count of [2, 1]) {
    const command = commands[words.slice(0, count).join(" ")];
    if (command !== undefined) return command(words.slice(count));
  }
  throw new CommandError(`Unknown command: ${words.join(" ")}; see parley --help`);
}

/** Runs the command of a second word. */
async function runSecond(
  first: string,
  known: Readonly<Record<string, ServerCommand>>,
  [word = "", ...args]: string[],
): Promise<void> {
  const command = Object.hasOwn(known, word) ? known[word] : undefined;
  if (command === undefined) {
    throw new CommandError(`Unknown command: ${first} ${word}; see parley --help`);
  }
  await command(args, printLine);
}

function refuseArguments(args: string[]): void {
  parseArgs({ args, options: {} });
}

/** The file argument of a command, if there is one. */
function fileOf(args: string[]): string | undefined {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  if (positionals.length > 1) throw new CommandError("Name one file, or none; see parley --help");
  return positionals[0];
}

async function administration() {
  const settings = readSettings();
  return { settings, logger: await openLog(settings) };
}

async function openLog(settings: Settings) {
  const { createLogger } = await import("./server/logger.ts");
  const logger = createLogger(settings.PARLEY_LOG_LEVEL);
  if (environmentFile !== undefined) {
    logger.info({ file: environmentFile }, "Settings that the environment lacks are from a file");
  }
  return logger;
}

async function run(args: string[], parts: Parts): Promise<void> {
  const { values } = parseArgs({ args, options: { demo: { type: "boolean" } } });
  const settings = readSettings();
  const isWhole = parts.api && parts.worker;
  const isEmbedded = settings.DATABASE_URL === undefined;
  if (isEmbedded && !isWhole) {
    throw new CommandError("DATABASE_URL: processes share PostgreSQL; parley serve needs none");
  }
  const delayMs = shutdownDelayOf({ settings, parts });
  const withinMs = delayMs + settings.PARLEY_SHUTDOWN_PATIENCE_MS + CLOSE_SLACK_MS;
  const isOn = values.demo === true || settings.PARLEY_DEMO === "on" || isEmbedded;
  const demo = settings.PARLEY_DEMO !== "off" && isOn;
  const starting = start({ settings, parts, demo, isEmbedded });
  // A signal during the start must stop what has been started.
  stopOnSignal(async () => (await starting).close(), withinMs);
  await starting;
}

interface Start {
  readonly settings: Settings;
  readonly parts: Parts;
  readonly demo: boolean;
  readonly isEmbedded: boolean;
}

async function start({ settings, parts, demo, isEmbedded }: Start): Promise<RunningServer> {
  // The lock comes before loading the server, so a second one on the directory is refused at once.
  const lock = isEmbedded ? await lockDirectory(settings.PARLEY_DATA_DIR) : undefined;
  const logger = await openLog(settings);
  // The database starts while the server is loaded.
  const [{ serve }, embedded] = await Promise.all([
    import("./server/serve.ts"),
    isEmbedded ? startDatabase(settings, logger, lock) : undefined,
  ]);
  const print = (text: string): void => void process.stdout.write(text);
  const { isTTY: isTerminal } = process.stdout;
  return serve({ settings, logger, parts, demo, embedded, print, isTerminal });
}

/** Closes the server at the first signal to stop; a second signal exits at once. */
function stopOnSignal(close: () => Promise<void>, withinMs: number): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), withinMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}

/** Prints why the command failed, in one sentence, and exits. */
function fail(error: unknown): never {
  process.stderr.write(`parley: ${describeFailure(error)}\n`);
  process.exit(1);
}

await main().catch(fail);
