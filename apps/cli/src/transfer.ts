import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { exportDatabase, importDatabase, type Transferred } from "@parley/db";
import type { Administration } from "./administer.ts";
import { openDatabase } from "./open-core.ts";
import { Usage } from "./usage.ts";

type Report = (line: string) => void;

/**
 * Writes everything that the database holds to a new file, which only its owner may read, or to
 * standard output. Throws `Usage` where there is no database or the file exists.
 */
export async function exportAll(
  administration: Administration,
  file: string | undefined,
  report: Report,
): Promise<void> {
  await requireDatabase(administration);
  if (file === undefined && process.stdout.isTTY) {
    throw new Usage("An export holds secrets: name a file for it, or send it through a pipe");
  }
  const database = await openDatabase({ ...administration, lock: undefined });
  try {
    // An export that is there is not written over.
    const target =
      file === undefined ? process.stdout : createWriteStream(file, { flags: "wx", mode: 0o600 });
    // Each write tells of its own.
    target.on("error", () => {});
    const exported = await exportDatabase(database, createWrite(target));
    if (file !== undefined) await finished(target.end());
    report(`Exported ${describe(exported)}`);
  } finally {
    await database.close();
  }
}

/**
 * Writes an export into the empty PostgreSQL database of `DATABASE_URL`, all of it or nothing. Throws
 * `Usage` and `RefusedTransfer`.
 */
export async function importAll(
  administration: Administration,
  file: string | undefined,
  report: Report,
): Promise<void> {
  if (administration.settings.DATABASE_URL === undefined) {
    throw new Usage("DATABASE_URL: name the empty PostgreSQL database to import into");
  }
  const source = file === undefined ? process.stdin : createReadStream(file);
  const database = await openDatabase({ ...administration, lock: undefined });
  try {
    report(`Imported ${describe(await importDatabase(database, linesOf(source)))}`);
  } finally {
    source.destroy();
    await database.close();
  }
}

/** Opening a directory makes a database in it: an export of nothing would look like one. */
async function requireDatabase({ settings }: Administration): Promise<void> {
  if (settings.DATABASE_URL !== undefined) return;
  const directory = path.join(settings.PARLEY_DATA_DIR, "pglite");
  const isThere = await stat(directory).then(
    () => true,
    () => false,
  );
  if (!isThere) throw new Usage(`PARLEY_DATA_DIR: ${settings.PARLEY_DATA_DIR} holds no database`);
}

/** Waits for who reads. */
function createWrite(target: Writable): (text: string) => Promise<void> {
  return (text) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    target.write(text, (error) => (error ? reject(error) : resolve()));
    return promise;
  };
}

/** The lines of a text, one at a time; what comes behind its last line break is none. */
async function* linesOf(source: Readable): AsyncGenerator<string, void, undefined> {
  let begun: string[] = [];
  for await (const chunk of source.setEncoding("utf8")) {
    // Decoded above.
    const [first = "", ...others] = (chunk as string).split("\n");
    begun.push(first);
    for (const next of others) {
      yield begun.join("");
      begun = [next];
    }
  }
}

const describe = ({ rows, tables }: Transferred): string => `${rows} rows of ${tables} tables`;
