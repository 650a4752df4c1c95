import { FILE_CHUNK_BYTES, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

const storedStatement = statement<
  { workspaceId: number; fileId: string },
  { id: number; sizeBytes: number; sha256: string }
>(
  "find_stored_file",
  sql`
  select id::float8 as id, size_bytes::float8 as "sizeBytes", sha256 from files
  where sid = ${sql.placeholder("fileId")} and status = 'ready'
    and workspace_id = ${sql.placeholder("workspaceId")}::bigint`,
);

/** A file of a workspace that has its bytes, whoever reaches it; undefined if there is none. */
export async function findStoredFile(
  { database }: Process,
  file: { readonly workspaceId: number; readonly fileId: string },
): Promise<{ id: number; sizeBytes: number; sha256: string } | undefined> {
  const { workspaceId, fileId } = file;
  return (await storedStatement.execute(database.db, { workspaceId, fileId }))[0];
}

const chunkStatement = statement<
  { fileId: number; position: number; offset: number; length: number },
  { data: Uint8Array }
>(
  "read_file_chunk",
  sql`
  select substring(data from ${sql.placeholder("offset")}::int + 1 for ${sql.placeholder("length")}::int) as data
  from file_chunks
  where file_id = ${sql.placeholder("fileId")} and position = ${sql.placeholder("position")}`,
);

/** Each chunk is one query: no transaction is open while a reader is slow. */
export async function* readBytes(
  { database }: Process,
  fileId: number,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = start; at < end;) {
    const position = Math.floor(at / FILE_CHUNK_BYTES);
    const offset = at % FILE_CHUNK_BYTES;
    const length = Math.min(FILE_CHUNK_BYTES - offset, end - at);
    const [row] = await chunkStatement.execute(database.db, { fileId, position, offset, length });
    if (row?.data.length !== length) throw new Error("The file was deleted while it was read");
    yield row.data;
    at += length;
  }
}
