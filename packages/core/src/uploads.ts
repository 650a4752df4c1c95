import { createHash } from "node:crypto";
import { FILE_CHUNK_BYTES, files, fileChunks, statement } from "@parley/db";
import { type FileAnswer, invalidRequest, ParleyError, type UploadFile } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import { type Context, type Core, inTransaction } from "./context.ts";
import { extractText, FILE_TEXT_BYTES } from "./file-text.ts";
import { renderFile, unknownFile } from "./files.ts";
import type { FileRow } from "./rows.ts";
import { requireSigned } from "./upload-addresses.ts";

/** An upload that has written nothing for so long is over: another may take the file. */
const UPLOAD_LEASE_SECONDS = 120;

/** The bytes that come for a file, in order. Throws when the form they come in is not as it should be. */
export type ReadUpload = (
  announced: Pick<FileRow, "contentType" | "sizeBytes">,
) => AsyncIterable<Uint8Array>;

/**
 * Stores the bytes of an announced file as `read` gives them, a chunk at a time, and makes it
 * readable when all that was announced is there. Whatever goes wrong leaves nothing behind, and the
 * file can be uploaded again. Throws `file_not_found` and `invalid_request_error`.
 */
export async function uploadFile(
  context: Context,
  input: UploadFile,
  read: ReadUpload,
): Promise<FileAnswer> {
  await requireSigned(context, input);
  const file = await claimFile(context, input.fileId);
  try {
    const stored = await storeBytes(context, file, read(file));
    return { file: await renderFile(context, await finishUpload(context, file, stored)) };
  } catch (error) {
    // What could not be deleted now is swept when the address is no longer valid.
    await abandonUpload(context, file).catch(() => {});
    throw error;
  }
}

/** Takes a file for one upload; what an upload that died has left of it is deleted. */
async function claimFile(context: Context, sid: string): Promise<FileRow> {
  const ofCaller = and(eq(files.sid, sid), eq(files.workspaceId, context.caller.workspace.id));
  return inTransaction(context, async ({ db }) => {
    const [row] = await db
      .update(files)
      .set({
        uploadId: context.newId(),
        uploadUntil: sql`now() + ${UPLOAD_LEASE_SECONDS} * interval '1 second'`,
      })
      .where(
        and(
          ofCaller,
          eq(files.status, "created"),
          sql`(${files.uploadUntil} is null or ${files.uploadUntil} < now())`,
        ),
      )
      .returning();
    if (row !== undefined) {
      await db.delete(fileChunks).where(eq(fileChunks.fileId, row.id));
      return row;
    }
    const [known] = await db.select({ status: files.status }).from(files).where(ofCaller);
    if (known === undefined) throw unknownFile();
    throw invalidRequest("path", [
      {
        path: "fileId",
        message:
          known.status === "ready"
            ? "the file was uploaded before: announce another"
            : "the file is being uploaded by another request",
      },
    ]);
  });
}

const chunkStatement = statement<
  { fileId: number; uploadId: string; position: number; data: Uint8Array },
  { position: number }
>(
  "insert_file_chunk",
  sql`
  with held as (
    update files set upload_until = now() + ${sql.raw(String(UPLOAD_LEASE_SECONDS))} * interval '1 second'
    where id = ${sql.placeholder("fileId")} and upload_id = ${sql.placeholder("uploadId")}
    returning id
  )
  insert into file_chunks (file_id, position, data)
  select id, ${sql.placeholder("position")}::int, ${sql.placeholder("data")}::bytea from held
  returning position`,
);

interface StoredBytes {
  readonly sha256: string;
  readonly text: string | null;
}

/** Writes what comes, a chunk in a statement, while the next bytes wait for it. */
async function storeBytes(
  { database }: Core,
  file: FileRow,
  source: AsyncIterable<Uint8Array>,
): Promise<StoredBytes> {
  const { id: fileId, uploadId } = file;
  if (uploadId === null) throw new Error("The file is not claimed");
  const hash = createHash("sha256");
  let beginning = new Uint8Array();
  let position = 0;
  for await (const data of inChunks(exactly(file.sizeBytes, source))) {
    if (position === 0) beginning = data.slice(0, FILE_TEXT_BYTES);
    hash.update(data);
    const written = { fileId, uploadId, position, data };
    const [row] = await chunkStatement.execute(database.db, written);
    if (row === undefined) throw lostUpload();
    position++;
  }
  return { sha256: hash.digest("hex"), text: extractText(beginning, file) };
}

/** The same bytes, of which there must be `sizeBytes`: throws as soon as there are more. */
async function* exactly(
  sizeBytes: number,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let received = 0;
  const wrongSize = (has: string) =>
    invalidRequest("body", [
      {
        path: "file",
        message: `must have the ${sizeBytes} bytes that were announced, and has ${has}`,
      },
    ]);
  for await (const data of source) {
    received += data.length;
    if (received > sizeBytes) throw wrongSize("more");
    yield data;
  }
  if (received < sizeBytes) throw wrongSize(String(received));
}

/** The same bytes in pieces of a chunk each, but for the last. */
async function* inChunks(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void, undefined> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const data of source) {
    pending.push(data);
    pendingBytes += data.length;
    if (pendingBytes < FILE_CHUNK_BYTES) continue;
    let rest = Buffer.concat(pending);
    for (; rest.length >= FILE_CHUNK_BYTES; rest = rest.subarray(FILE_CHUNK_BYTES)) {
      yield rest.subarray(0, FILE_CHUNK_BYTES);
    }
    pending = [rest];
    pendingBytes = rest.length;
  }
  if (pendingBytes > 0) yield Buffer.concat(pending);
}

/** Makes the file readable if its chunks, as they stand in the database, are all there. */
async function finishUpload(
  { database }: Core,
  file: FileRow,
  { sha256, text }: StoredBytes,
): Promise<FileRow> {
  const [row] = await database.db
    .update(files)
    .set({ status: "ready", sha256, text, uploadId: null, uploadUntil: null })
    .where(
      and(
        heldBy(file),
        sql`(select sum(octet_length(c.data)) = ${file.sizeBytes}
            and count(*) = max(c.position) + 1 from file_chunks c where c.file_id = ${file.id})`,
      ),
    )
    .returning();
  if (row === undefined) throw lostUpload();
  return row;
}

async function abandonUpload(core: Core, file: FileRow): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    const [held] = await db
      .update(files)
      .set({ uploadId: null, uploadUntil: null })
      .where(heldBy(file))
      .returning({ id: files.id });
    if (held !== undefined) await db.delete(fileChunks).where(eq(fileChunks.fileId, held.id));
  });
}

function heldBy(file: FileRow) {
  return and(
    eq(files.id, file.id),
    eq(files.uploadId, file.uploadId ?? ""),
    eq(files.status, "created"),
  );
}

function lostUpload(): ParleyError {
  return new ParleyError(
    "file_not_found",
    "The file was deleted, or is uploaded by another request",
  );
}
