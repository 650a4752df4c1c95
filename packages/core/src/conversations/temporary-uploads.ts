import { files, messages, type Queryable } from "@parley/db";
import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { TEMPORARY } from "../access/conversation-reach.ts";
import { forgetFileTexts } from "../files/file-texts.ts";

/** The ids of the files that messages of the conversations refer to. */
export async function findUploads(db: Queryable, ids: readonly number[]): Promise<string[]> {
  const fileId = sql<string>`${messages.fragment} ->> 'fileId'`;
  const found = await db
    .select({ fileId })
    .from(messages)
    .where(and(inArray(messages.conversationId, ids), isNotNull(fileId)));
  return found.map((row) => row.fileId);
}

/** Erases those of the files that came in requests which store nothing, with their texts. */
export async function eraseUploads(db: Queryable, uploads: readonly string[]): Promise<void> {
  if (uploads.length === 0) return;
  const erased = await db
    .delete(files)
    .where(and(inArray(files.sid, [...uploads]), eq(files.useCase, TEMPORARY)))
    .returning({ workspaceId: files.workspaceId, sha256: files.sha256 });
  await forgetFileTexts(db, erased);
}
