import { open } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { reportLine } from "@parley/command/print";
import { type Progress, startProgress } from "@parley/command/progress";
import {
  type Database,
  exportDatabase,
  holdsDatabase,
  importDatabase,
  type Transferred,
} from "@parley/db";
import type { Administration } from "./administer.ts";
import { openDatabase } from "../core/open-core.ts";

/**
 * Writes the whole database to a new file, which only its owner may read, or to standard output. Throws
 * `CommandError` without a database.
 */
export async function exportAll(
  administration: Administration,
  file: string | undefined,
): Promise<void> {
  const { io } = administration;
  await requireDatabase(administration);
  if (file === undefined && io.isTerminal.stdout) {
    throw new CommandError("An export contains secrets: name a file for it, or use a pipe");
  }
  const database = await openDatabase(administration);
  try {
    // An existing export is not overwritten.
    const target =
      file === undefined ? io.stdout : (await open(file, "wx", 0o600)).createWriteStream();
    // Each write reports its own error.
    target.on("error", () => {});
    const exported = await exportWithProgress(io, database, target);
    if (file !== undefined) await finished(target.end());
    reportLine(io, `Exported ${describe(exported)}`);
  } finally {
    await database.close();
  }
}

async function exportWithProgress(
  io: Io,
  database: Database,
  target: Writable,
): Promise<Transferred> {
  let progress: Progress | undefined;
  try {
    return await exportDatabase(database, createWrite(target), {
      begin: (total) => (progress = startProgress(io, { label: "exporting", total, unit: "rows" })),
      advance: (rows) => progress?.advance(rows),
    });
  } finally {
    progress?.stop();
  }
}

/** Writes an export into an empty database, all of it or nothing. Throws `RefusedTransfer`. */
export async function importAll(
  administration: Administration,
  file: string | undefined,
): Promise<void> {
  const { io } = administration;
  // Opened first: a stream reports that it cannot open its file only when it is read.
  await using handle = file === undefined ? undefined : await open(file);
  const source = handle?.createReadStream() ?? io.stdin;
  const database = await openDatabase(administration);
  // How long standard input is, nobody knows.
  const total = (await handle?.stat())?.size ?? 0;
  const progress =
    total > 0 ? startProgress(io, { label: "importing", total, unit: "bytes" }) : none;
  try {
    const imported = await importDatabase(database, linesOf(source, progress.advance));
    progress.stop();
    reportLine(io, `Imported ${describe(imported)}`);
  } finally {
    progress.stop();
    source.destroy();
    await database.close();
  }
}

const none: Progress = { advance: () => {}, stop: () => {} };

/** Opening a directory creates a database in it, and an export of nothing would look valid. */
async function requireDatabase({ settings }: Administration): Promise<void> {
  if (settings.DATABASE_URL !== undefined) return;
  if (!(await holdsDatabase(settings.PARLEY_DATA_DIR))) {
    throw new CommandError(`PARLEY_DATA_DIR: ${settings.PARLEY_DATA_DIR} contains no database`);
  }
}

/** Writes resolve when the target has taken the text. */
function createWrite(target: Writable): (text: string) => Promise<void> {
  return (text) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    target.write(text, (error) => (error ? reject(error) : resolve()));
    return promise;
  };
}

/** The lines of a text, one at a time; text after the last line break is not a line. */
async function* linesOf(
  source: Readable,
  advance: (bytes: number) => void,
): AsyncGenerator<string, void, undefined> {
  let begun: string[] = [];
  for await (const chunk of source.setEncoding("utf8")) {
    // Decoded above.
    advance(Buffer.byteLength(chunk as string));
    const [first = "", ...others] = (chunk as string).split("\n");
    begun.push(first);
    for (const next of others) {
      yield begun.join("");
      begun = [next];
    }
  }
}

const describe = ({ rows, tables }: Transferred): string => `${rows} rows of ${tables} tables`;
