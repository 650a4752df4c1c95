#!/usr/bin/env node
import { parseArgs } from "node:util";
import { lockDirectory } from "@parley/db/lock";
import { describeSettings, readSettings } from "./config.ts";
import { Usage } from "./usage.ts";

/** A drain that takes longer than this is cut off. */
const CLOSE_WITHIN_MS = 9000;

async function main(): Promise<void> {
  const [first, second, ...rest] = process.argv.slice(2);
  if (first === "skills" && second === "import" && !rest.includes("--help")) {
    const { importSkills } = await import("./import-skills.ts");
    await importSkills(rest, (line) => process.stdout.write(`${line}\n`));
    return;
  }
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h", default: false },
      demo: { type: "boolean" },
    },
  });
  const [command] = positionals;
  if (values.help || command === undefined) {
    process.stdout.write(renderHelp());
    return;
  }
  if (command !== "serve" || positionals.length > 1) {
    throw new Usage(`Unknown command: ${positionals.join(" ")}; see parley --help`);
  }
  const settings = readSettings();
  const isEmbedded = settings.DATABASE_URL === undefined;
  // Before the server is loaded, so that a second one on the directory is refused at once.
  const lock = isEmbedded ? await lockDirectory(settings.PARLEY_DATA_DIR) : undefined;
  const [{ createLogger }, { serve }] = await Promise.all([
    import("./logger.ts"),
    import("./serve.ts"),
  ]);
  const logger = createLogger(settings.PARLEY_LOG_LEVEL);
  const server = await serve({
    settings,
    logger,
    demo: values.demo ?? isEmbedded,
    lock,
    print: (text) => process.stdout.write(text),
  });
  stopOnSignal(() => server.close());
}

function renderHelp(): string {
  const rows = describeSettings().map(
    ({ name, byDefault, description }) =>
      `  ${name}\n      ${description}${byDefault && ` (default: ${byDefault})`}`,
  );
  return `Usage: parley serve [--demo]
       parley skills import <folder> [--on-conflict error|skip|override] [--status <status>]
              [--availability <availability>] [--repo-url <url>] [--url <url>] [--workspace <id>]

serve serves the API and runs agents and functions, in one process.

skills import sends a skill's folder, or a folder of such folders, to a running server: that of
--url or PARLEY_URL, into the workspace of --workspace or PARLEY_WORKSPACE_ID, with the key in
PARLEY_API_KEY.

Options:
  --demo      make the demo workspace on PostgreSQL too
  -h, --help  print this text

Environment:
${rows.join("\n")}
`;
}

/** Closes the server at the first signal to stop; a second one does not wait for that. */
function stopOnSignal(close: () => Promise<void>): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), CLOSE_WITHIN_MS).unref();
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
