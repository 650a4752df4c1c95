import { createHash } from "node:crypto";
import { FILE_CHUNK_BYTES, files, fileChunks, statement } from "@parley/db";
import {
  type FileAnswer,
  imageSize,
  type ImageSize,
  invalidRequest,
  ParleyError,
  type UploadFile,
} from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { Context, Process } from "../context.ts";
import { wasCommitted } from "../data-access/lost-answers.ts";
import type { FileRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { threadOptions } from "../untrusted/threads.ts";
import { extractText, FILE_TEXT_BYTES } from "./file-text.ts";
import { mayUpload, renderFile, unknownFile } from "./files.ts";
import { requireContent } from "./require-accepted.ts";
import { requireSigned, type UploadSigning } from "./upload-urls.ts";

/** Seconds without a written chunk after which another upload may take the file. */
const UPLOAD_LEASE_SECONDS = 120;

/** Reads the bytes of an upload in order. Throws for a malformed form. */
export type ReadUpload = (
  announced: Pick<FileRow, "contentType" | "sizeBytes">,
) => AsyncIterable<Uint8Array>;

/**
 * Stores the bytes of an announced file chunk by chunk, and makes the file readable once they are
 * complete. A failure leaves nothing behind, and the file can be uploaded again. Throws `file_not_found`,
 * `file_type_not_supported` for content of another type, and `invalid_request_error`.
 */
export async function uploadFile(
  context: Context & UploadSigning,
  input: UploadFile,
  read: ReadUpload,
): Promise<FileAnswer> {
  await requireSigned(context, input);
  const file = await claimFile(context, input.fileId);
  try {
    const { beginning, sha256, size } = await storeBytes(context, file, read(file));
    requireContent(file, beginning);
    const about = { ...file, beginning };
    const text = await extractText(context.threads, about, threadOptions(context));
    const stored = await finishUpload(context, file, { sha256, text, ...size });
    // The signing key is cached by now, so this does not fail.
    return { file: await renderFile(context, stored) };
  } catch (error) {
    // The sweep deletes it after the URL has expired.
    await abandonUpload(context, file).catch(() => {});
    throw error;
  }
}

/** Takes a file for one upload; deletes what an interrupted upload has left. */
async function claimFile(context: Context, sid: string): Promise<FileRow> {
  const ofCaller = and(eq(files.sid, sid), mayUpload(context));
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
    const [known] = await db
      .select({
        status: files.status,
        heldForSeconds: sql`extract(epoch from ${files.uploadUntil} - now())`.mapWith(Number),
      })
      .from(files)
      .where(ofCaller);
    if (known === undefined) throw unknownFile();
    if (known.status === "ready") {
      throw invalidRequest("path", [
        { path: "fileId", message: "the file has already been uploaded: announce another" },
      ]);
    }
    const message = "the file is being uploaded by another request";
    throw invalidRequest("path", [{ path: "fileId", message }], {
      // The process of the other upload may have died.
      retryAfterSeconds: Math.max(1, Math.ceil(known.heldForSeconds)),
    });
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

/** Writes one chunk per statement; the next bytes wait for it. */
async function storeBytes(
  { database }: Process,
  file: FileRow,
  source: AsyncIterable<Uint8Array>,
): Promise<{ sha256: string; beginning: Uint8Array; size: ImageSize | undefined }> {
  const { id: fileId, uploadId } = file;
  if (uploadId === null) throw new Error("The file is not claimed");
  const hash = createHash("sha256");
  let beginning = new Uint8Array();
  let size: ImageSize | undefined;
  let position = 0;
  for await (const data of inChunks(exactly(file.sizeBytes, source))) {
    if (position === 0) {
      beginning = data.slice(0, FILE_TEXT_BYTES);
      size = imageSize(data);
    }
    hash.update(data);
    const written = { fileId, uploadId, position, data };
    const [row] = await chunkStatement.execute(database.db, written);
    if (row === undefined) throw lostUpload();
    position++;
  }
  return { sha256: hash.digest("hex"), beginning, size };
}

/** The same bytes. Throws unless there are `sizeBytes`, for more as soon as they arrive. */
async function* exactly(
  sizeBytes: number,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let received = 0;
  const wrongSize = (has: string) => {
    const message = `must have the announced ${sizeBytes} bytes, but has ${has}`;
    return invalidRequest("body", [{ path: "file", message }]);
  };
  for await (const data of source) {
    received += data.length;
    if (received > sizeBytes) throw wrongSize("more");
    yield data;
  }
  if (received < sizeBytes) throw wrongSize(String(received));
}

/** The same bytes in chunks of equal size, except the last. */
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

/** Makes the file readable if the database has all of its chunks. */
async function finishUpload(
  { database }: Process,
  file: FileRow,
  found: Pick<FileRow, "sha256" | "text"> & Partial<ImageSize>,
): Promise<FileRow> {
  const ready = { status: "ready", ...found, uploadId: null, uploadUntil: null } as const;
  try {
    const [row] = await database.db
      .update(files)
      .set(ready)
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
  } catch (error) {
    // Only this upload can make it ready while it holds the file.
    const isReady = async () => {
      const [row] = await database.db.select().from(files).where(eq(files.id, file.id));
      return row?.status === "ready";
    };
    if (!(await wasCommitted(error, isReady))) throw error;
    return { ...file, ...ready };
  }
}

async function abandonUpload(core: Process, file: FileRow): Promise<void> {
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
  const message = "The file was deleted, or is being uploaded by another request";
  return new ParleyError("file_not_found", message);
}
