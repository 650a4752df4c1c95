import { parseArgs } from "node:util";
import { lockDirectory } from "@parley/db/lock";
import { readSettings } from "./config.ts";
import { renderHelp } from "./help.ts";
import { Usage } from "./usage.ts";

/** What a close may take beyond the patience it is given; then it is cut off. */
const CLOSE_SLACK_MS = 4000;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Standard output holds what a command makes. */
const reportLine = (line: string): void => void process.stderr.write(`${line}\n`);

type Command = (args: string[]) => Promise<void>;

/** What `parley` can be told, by its words. */
const commands: Readonly<Record<string, Command>> = {
  serve: (args) => run(args, { api: true, worker: true }),
  api: (args) => run(args, { api: true, worker: false }),
  worker: (args) => run(args, { api: false, worker: true }),
  migrate: async (args) => {
    refuseArguments(args);
    const { migrate } = await import("./administer.ts");
    await migrate(await administration(), printLine);
  },
  "keys bootstrap": async (args) => {
    refuseArguments(args);
    const { bootstrapKeys } = await import("./administer.ts");
    await bootstrapKeys(await administration(), printLine);
  },
  export: async (args) => {
    const { exportAll } = await import("./transfer.ts");
    await exportAll(await administration(), fileOf(args), reportLine);
  },
  import: async (args) => {
    const { importAll } = await import("./transfer.ts");
    await importAll(await administration(), fileOf(args), reportLine);
  },
  "skills import": async (args) => {
    const { importSkills } = await import("./import-skills.ts");
    await importSkills(args, printLine);
  },
  "functions record": async (args) => {
    const { recordFunction } = await import("./record-function.ts");
    await recordFunction(args, printLine);
  },
};

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const isHelp = words.includes("--help") || words.includes("-h") || words.length === 0;
  if (isHelp) return void process.stdout.write(renderHelp());
  for (const count of [2, 1]) {
    const command = commands[words.slice(0, count).join(" ")];
    if (command !== undefined) return command(words.slice(count));
  }
  throw new Usage(`Unknown command: ${words.join(" ")}; see parley --help`);
}

function refuseArguments(args: string[]): void {
  parseArgs({ args, options: {} });
}

/** The file that a command is given, if it is. */
function fileOf(args: string[]): string | undefined {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  if (positionals.length > 1) throw new Usage("Name one file, or none; see parley --help");
  return positionals[0];
}

async function administration() {
  const { createLogger } = await import("./logger.ts");
  const settings = readSettings();
  return { settings, logger: createLogger(settings.PARLEY_LOG_LEVEL) };
}

async function run(args: string[], parts: { api: boolean; worker: boolean }): Promise<void> {
  const { values } = parseArgs({ args, options: { demo: { type: "boolean" } } });
  const settings = readSettings();
  const isWhole = parts.api && parts.worker;
  const isEmbedded = settings.DATABASE_URL === undefined;
  if (isEmbedded && !isWhole) {
    throw new Usage("DATABASE_URL: processes share PostgreSQL; parley serve needs none");
  }
  // Before the server is loaded, so that a second one on the directory is refused at once.
  const lock = isEmbedded ? await lockDirectory(settings.PARLEY_DATA_DIR) : undefined;
  const [{ createLogger }, { serve, shutdownDelayOf }] = await Promise.all([
    import("./logger.ts"),
    import("./serve.ts"),
  ]);
  const server = await serve({
    settings,
    logger: createLogger(settings.PARLEY_LOG_LEVEL),
    parts,
    demo: values.demo ?? isEmbedded,
    lock,
    print: (text) => process.stdout.write(text),
  });
  const delayMs = shutdownDelayOf({ settings, parts });
  const withinMs = delayMs + settings.PARLEY_SHUTDOWN_PATIENCE_MS + CLOSE_SLACK_MS;
  stopOnSignal(() => server.close(), withinMs);
}

/** Closes the server at the first signal to stop; a second one does not wait for that. */
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

/** Errors that say what is wrong and what would be right. */
const explained = new Set([
  "Usage",
  "BadConfiguration",
  "DirectoryInUse",
  "DatabaseTooNew",
  "RefusedFolder",
  "RefusedImport",
  "RefusedRecording",
  "RefusedTransfer",
]);

/** Prints why the command failed: one line where the reason is known. */
function fail(error: unknown): never {
  process.stderr.write(`parley: ${describe(error)}\n`);
  process.exit(1);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (explained.has(error.name)) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  // Errors of the system (a busy port, a directory that cannot be written) say what is wrong.
  if (code !== undefined && /^(?:E[A-Z]+|ERR_PARSE_ARGS_\w+)$/.test(code)) return error.message;
  return error.stack ?? error.message;
}

await main().catch(fail);
