import {
  conversations,
  files,
  hasRow,
  insertRow,
  type Queryable,
  skillAttachments,
  skills,
  workspaces,
} from "@parley/db";
import {
  type CreateFile,
  type File,
  type FileAnswer,
  invalidRequest,
  ParleyError,
  type Success,
} from "@parley/schema";
import { and, eq, inArray, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { reachesConversation } from "../access/conversation-reach.ts";
import { foreignWorkspace } from "../access/credentials.ts";
import { belongsTo, ownedBy } from "../access/ownership.ts";
import { reachesSkill } from "../access/skill-reach.ts";
import type { Caller, Context, Process } from "../context.ts";
import type { FileRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { inTransaction } from "../log/transaction.ts";
import { reservingStorage } from "../storage/reserve-storage.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { hasUserLimit } from "../storage/stored-limits.ts";
import { requireUserRoom } from "../storage/user-storage.ts";
import { readBytes } from "./file-bytes.ts";
import { type FileLimits, requireAccepted } from "./require-accepted.ts";
import { signUploadUrl, UPLOAD_VALID_MS, type UploadSigning } from "./upload-urls.ts";

const SWEPT_AT_ONCE = 100;

/** What the file operations need of a process. */
export interface FileServices extends UploadSigning {
  readonly fileLimits: FileLimits;
}

/** The context of operations that create files. */
export type FileContext = KeyedContext & FileServices & StorageServices;

/**
 * Announces a file: reserves its bytes in its workspace. Throws `file_type_not_supported`, `file_too_large` and
 * `budget_exceeded`.
 */
export async function announceFile(context: FileContext, input: CreateFile): Promise<FileAnswer> {
  requireAccepted(input, context.fileLimits);
  const { caller } = context;
  const workspaceId = caller.workspace.id;
  const [id = 0] = await context.takeRowIds(1);
  const sid = context.newId("fil");
  // The response needs the key: nothing may fail after the commit.
  await context.signingKey();
  const isStored = async () => (await context.database.db.$count(files, eq(files.id, id))) > 0;
  const creation = { id: sid, isStored };
  const announce = () =>
    inTransactionOnce(context, creation, async ({ db }) => {
      const { limitsUsers } = await lockWorkspace(db, workspaceId, "key share");
      const row = await insertRow(db, files, {
        id,
        sid,
        workspaceId,
        ...ownedBy(caller),
        contentType: input.contentType,
        fileName: input.fileName,
        sizeBytes: input.fileSize,
        useCase: input.useCase,
        status: "created",
        createdAt: context.now(),
      });
      if (limitsUsers)
        await requireUserRoom(db, { caller, ownerId: row.ownerId, now: row.createdAt });
      return row;
    });
  const file = await reservingStorage(context, input.fileSize, announce);
  return { file: await renderFile(context, file) };
}

/** Replays an announcement with the file as it now is. Throws `file_not_found`. */
export async function replayAnnouncement(
  context: Context & UploadSigning,
  _input: CreateFile,
  createdId: string,
): Promise<FileAnswer> {
  const [found] = await selectReached(context.database.db, context, createdId);
  if (found === undefined) throw unknownFile();
  return { file: await renderFile(context, found.file) };
}

/**
 * Locks the row of a workspace against its deletion, and with `no key update` against others that do the
 * same; says whether what a user stores may be limited. Throws `workspace_auth_error` if it was deleted in the
 * meantime.
 */
export async function lockWorkspace(
  db: Queryable,
  id: number,
  strength: "key share" | "no key update",
): Promise<{ limitsUsers: boolean }> {
  const [locked] = await db
    .select({ limitsUsers: hasUserLimit(sql`${workspaces.id}`) })
    .from(workspaces)
    .where(and(eq(workspaces.id, id), isNull(workspaces.deletedAt)))
    .for(strength);
  if (locked === undefined) throw foreignWorkspace();
  return locked;
}

/** A file as the wire shows it. */
export async function renderFile(context: Context & UploadSigning, row: FileRow): Promise<File> {
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

/**
 * The condition that the row is an upload that the caller reaches: an own one, or for keys a file of skills
 * of which they reach one.
 */
export function reachesUploaded(caller: Caller): SQL | undefined {
  const attached = sql`from ${skillAttachments} where ${skillAttachments.fileId} = ${files.sid}`;
  const ofReachedSkill = hasRow(
    sql`from ${skills} where ${and(
      sql`${skills.id} in (select ${skillAttachments.skillId} ${attached})`,
      eq(skills.workspaceId, files.workspaceId),
      reachesSkill(caller),
    )}`,
  );
  const isUpload = isNull(files.conversationId);
  const isUnattached = not(hasRow(attached));
  if (caller.kind === "operator") return and(isUpload, or(isUnattached, ofReachedSkill));
  // Uploads from before keys were stored stay everybody's.
  const own = belongsTo(caller, files, isNull(files.apiKeyId));
  if (caller.userToken !== undefined) return and(isUpload, own);
  return and(isUpload, or(and(isUnattached, own), ofReachedSkill));
}

/**
 * The condition that the caller may complete the row, given its signed URL: a user's own upload, or for keys
 * any of the workspace, because only who announced it knows the URL.
 */
export function mayUpload({ caller }: Context): SQL | undefined {
  const own = caller.userToken && reachesUploaded(caller);
  return and(eq(files.workspaceId, caller.workspace.id), own);
}

/** A query for the files with these ids that the caller's key reaches, whether they have bytes or not. */
function selectReached(db: Queryable, context: Context, ...sids: readonly string[]) {
  return db
    .select({ file: files })
    .from(files)
    .leftJoin(conversations, eq(conversations.id, files.conversationId))
    .where(
      and(
        inArray(files.sid, sids),
        eq(files.workspaceId, context.caller.workspace.id),
        or(reachesUploaded(context.caller), reachesConversation(context)),
      ),
    );
}

/** A file with bytes that the caller's key reaches. Undefined when there is none. */
export async function findFile(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<FileRow | undefined> {
  return (await findFiles(db, context, [sid]))[0];
}

/** Those of the files that have bytes and that the caller's key reaches, in any order. */
export async function findFiles(
  db: Queryable,
  context: Context,
  sids: readonly string[],
): Promise<FileRow[]> {
  if (sids.length === 0) return [];
  const found = await selectReached(db, context, ...sids);
  return found.flatMap(({ file }) => (file.status === "ready" ? file : []));
}

/** The error for a file that is unknown or not reached, or whose bytes are missing. */
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
  /** Reads the bytes from `start` to before `end`; a chunk is read when it is requested. */
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

/**
 * Deletes a file with its bytes; fragments that use it keep the text that agents read. Throws
 * `file_not_found`, and `invalid_request_error` for a file of a skill.
 */
export async function deleteFile(
  context: Context & StorageServices,
  input: { fileId: string },
): Promise<Success> {
  const deleted = await inTransaction(context, async ({ db }) => {
    // The lock keeps others from attaching the file in the meantime.
    const [found] = await selectReached(db, context, input.fileId).for("update", { of: files });
    if (found === undefined) throw unknownFile();
    const row = found.file;
    const [skill] = await db
      .select({ id: skillAttachments.skillId })
      .from(skillAttachments)
      .innerJoin(skills, eq(skills.id, skillAttachments.skillId))
      .where(and(eq(skillAttachments.fileId, row.sid), eq(skills.workspaceId, row.workspaceId)))
      .limit(1);
    if (skill !== undefined) {
      const message = "a skill has the file: remove it from the skill instead";
      throw invalidRequest("path", [{ path: "fileId", message }]);
    }
    await db.delete(files).where(eq(files.id, row.id));
    return row;
  });
  context.storage.add(deleted.workspaceId, -deleted.sizeBytes);
  return { success: true };
}

/** Deletes a batch of announced files whose upload URL has expired; the result is their number. */
export async function sweepFiles({ database, now }: Process): Promise<number> {
  const swept = await database.db.execute(sql`
    delete from files where id in (
      select id from files
      where status = 'created' and created_at <= ${now() - UPLOAD_VALID_MS}
        and (upload_until is null or upload_until < now())
      limit ${SWEPT_AT_ONCE} for update skip locked
    ) returning id`);
  // Drizzle does not type the result of the driver.
  return (swept as { rows: unknown[] }).rows.length;
}
