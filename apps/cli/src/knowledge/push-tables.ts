import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { oneLine, printLine } from "@parley/command/print";
import { TABLE_LIMITS } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { readRegularFile } from "../regular-files.ts";
import { findSourceId } from "./read-tables.ts";

interface PushOptions extends ServerOptions {
  readonly source: string;
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly append?: true | undefined;
}

const MAX_BYTES = 4 * TABLE_LIMITS.csvCharacters;

/** Uploads files as tables, one after the other. Throws `CommandError`. */
export async function pushTables(
  context: Context,
  files: readonly string[],
  { source, id, title, description, tag, append, ...options }: PushOptions,
): Promise<void> {
  if (files.length > 1 && (id ?? title) !== undefined) {
    throw new CommandError("--id and --title are for a single file");
  }
  const connection = await connect(context, options);
  const { io, rpc, wId } = connection;
  const dsId = await findSourceId(connection, source);
  const pushed = [];
  for (const file of files) {
    // oxlint-disable no-await-in-loop -- a file at a time is in memory
    const csv = await readCsv(file);
    const name = id ?? path.basename(file).replace(/\.csv$/i, "");
    const about = { title, description, tags: tag && [...tag], truncate: append !== true };
    const uploading = rpc.tables.uploadCsv.mutate({
      wId,
      dsId,
      table_id: name,
      name,
      csv,
      ...about,
    });
    const { table } = await callServer(uploading);
    // oxlint-enable no-await-in-loop
    pushed.push(table);
    if (options.json === true) continue;
    const columns = table.schema
      .map((column) => `${column.name} (${column.value_type})`)
      .join(", ");
    printLine(io, oneLine(`uploaded: ${table.table_id}, ${table.row_count} rows of ${columns}`));
  }
  if (options.json === true) printLine(io, JSON.stringify({ tables: pushed }));
}

async function readCsv(file: string): Promise<string> {
  const bytes = await readRegularFile(file, { bytesLeft: MAX_BYTES, maxBytes: MAX_BYTES });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`${file}: is not text in UTF-8`, { cause });
  }
}
