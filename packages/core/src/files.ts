import {
  conversations,
  FILE_CHUNK_BYTES,
  files,
  type Queryable,
  statement,
  workspaces,
} from "@parley/db";
import {
  type CreateFile,
  type File,
  type FileAnswer,
  invalidRequest,
  ParleyError,
} from "@parley/schema";
import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { Context, Core } from "./context.ts";
import { inTransactionOnce } from "./idempotency.ts";
import type { FileRow } from "./rows.ts";
import { reachesConversation } from "./stored-conversations.ts";
import { signUploadUrl, UPLOAD_VALID_MS } from "./upload-addresses.ts";

const SWEPT_AT_ONCE = 100;

/**
 * Announces a file: a place for its bytes, which count against the workspace's quota from now on.
 * Throws `invalid_request_error` for more than a file or a workspace may have.
 */
export async function announceFile(context: Context, input: CreateFile): Promise<FileAnswer> {
  const { fileBytes } = context.fileLimits;
  if (input.fileSize > fileBytes) throw tooLarge("fileSize", `must be at most ${fileBytes} bytes`);
  const workspaceId = context.caller.workspace.id;
  const [id = 0] = await context.takeRowIds(1);
  const sid = context.newId("fil");
  const file = await inTransactionOnce(context, sid, async ({ db }) => {
    await requireRoom(db, context, { path: "fileSize", bytes: input.fileSize });
    const [row] = await db
      .insert(files)
      .values({
        id,
        sid,
        workspaceId,
        contentType: input.contentType,
        fileName: input.fileName,
        sizeBytes: input.fileSize,
        useCase: input.useCase,
        status: "created",
        createdAt: context.now(),
      })
      .returning();
    if (row === undefined) throw new Error("The file was not written");
    return row;
  });
  return { file: await renderFile(context, file) };
}

/** Answers an announcement again, with the file as it now is. Throws `file_not_found`. */
export async function replayAnnouncement(
  context: Context,
  _input: CreateFile,
  made: string,
): Promise<FileAnswer> {
  const [row] = await context.database.db
    .select()
    .from(files)
    .where(and(eq(files.sid, made), eq(files.workspaceId, context.caller.workspace.id)));
  if (row === undefined) throw unknownFile();
  return { file: await renderFile(context, row) };
}

/**
 * Checks the workspace's quota under a lock, so that what adds to its files comes one after the
 * other. Throws `invalid_request_error`, which names the member `path`.
 */
export async function requireRoom(
  db: Queryable,
  context: Context,
  { path, bytes }: { path: string; bytes: number },
): Promise<void> {
  const { workspaceBytes } = context.fileLimits;
  const { id } = context.caller.workspace;
  const [locked] = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, id))
    .for("no key update");
  if (locked === undefined) {
    throw new ParleyError("workspace_not_found", "The workspace was deleted");
  }
  const [sum] = await db
    .select({ bytes: sql`coalesce(sum(${files.sizeBytes}), 0)`.mapWith(Number) })
    .from(files)
    .where(and(eq(files.workspaceId, id), isNull(files.conversationId)));
  const left = Math.max(0, workspaceBytes - (sum?.bytes ?? 0));
  if (bytes > left) {
    throw tooLarge(
      path,
      `the workspace's files may have ${workspaceBytes} bytes in all, of which ${left} are left`,
    );
  }
}

function tooLarge(path: string, message: string): ParleyError {
  return invalidRequest("body", [{ path, message }]);
}

/** A file as the wire shows it. */
export async function renderFile(context: Context, row: FileRow): Promise<File> {
  return {
    id: row.sid,
    sId: row.sid,
    contentType: row.contentType,
    fileName: row.fileName,
    fileSize: row.sizeBytes,
    status: row.status,
    uploadUrl: await signUploadUrl(context, row),
    useCase: row.useCase,
  };
}

/** A file with bytes that the caller's key reaches. Undefined when there is none. */
export async function findFile(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<FileRow | undefined> {
  const [row] = await db
    .select({ file: files })
    .from(files)
    .leftJoin(conversations, eq(conversations.id, files.conversationId))
    .where(
      and(
        eq(files.sid, sid),
        eq(files.workspaceId, context.caller.workspace.id),
        eq(files.status, "ready"),
        // What stands in a conversation is for those who reach the conversation.
        or(isNull(files.conversationId), reachesConversation(context)),
      ),
    );
  return row?.file;
}

/** The answer to a file that is unknown, foreign or, where its bytes are asked for, not there yet. */
export function unknownFile(): ParleyError {
  return new ParleyError("file_not_found", "The workspace has no such file");
}

/** A file that can be read. */
export interface ReadableFile {
  readonly contentType: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
  /** Reads the bytes from `start` on and before `end`, a chunk when it is asked for. */
  read(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined>;
}

/** Opens a file for reading. Throws `file_not_found`. */
export async function openFile(context: Context, input: { fileId: string }): Promise<ReadableFile> {
  const row = await findFile(context.database.db, context, input.fileId);
  if (row === undefined) throw unknownFile();
  const { id, contentType, fileName, sizeBytes, sha256 } = row;
  if (sha256 === null) throw new Error(`The file ${row.sid} is ready without its digest`);
  const read = (start: number, end: number) => readBytes(context, id, { start, end });
  return { contentType, fileName, sizeBytes, sha256, read };
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

/** Each chunk is a query of its own: no transaction is open while a reader takes its time. */
async function* readBytes(
  { database }: Core,
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

/** Deletes some announced files that can no longer be uploaded; the result says how many. */
export async function sweepFiles({ database, now }: Core): Promise<number> {
  const swept = await database.db.execute(sql`
    delete from files where id in (
      select id from files
      where status = 'created' and created_at <= ${now() - UPLOAD_VALID_MS}
        and (upload_until is null or upload_until < now())
      limit ${SWEPT_AT_ONCE} for update skip locked
    ) returning id`);
  // Both drivers give the rows, under a type that Drizzle does not know here.
  return (swept as { rows: unknown[] }).rows.length;
}
