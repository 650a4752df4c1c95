import { files, type Queryable, skillAttachments, type skills } from "@parley/db";
import { and, eq, inArray } from "drizzle-orm";
import type { Context } from "../context.ts";
import { insertFiles } from "../files/insert-files.ts";
import type { FolderFile } from "./folders/check-files.ts";

const USE_CASE = "skill";

/** Stores files of a skill and attaches them, in order. Gives the ids of those that are executable. */
export async function insertSkillFiles(
  db: Queryable,
  context: Context,
  skill: { skillId: number; fileIds: readonly number[]; files: readonly FolderFile[] },
): Promise<string[]> {
  if (skill.files.length === 0) return [];
  const rows = skill.files.map(({ path, bytes }, position) => ({
    id: skill.fileIds[position] ?? 0,
    sid: context.newId("fil"),
    workspaceId: context.caller.workspace.id,
    contentType: contentTypeOf(path, bytes),
    fileName: path,
    useCase: USE_CASE,
    createdAt: context.now(),
    bytes,
  }));
  await insertFiles(db, rows);
  await db.insert(skillAttachments).values(
    rows.map(({ sid, fileName }, position) => {
      return { skillId: skill.skillId, position, fileId: sid, fileName };
    }),
  );
  return rows.flatMap(({ sid }, position) => {
    return skill.files[position]?.isExecutable === true ? [sid] : [];
  });
}

/** Deletes the files that an import has stored for a skill. */
export async function deleteSkillFiles(
  db: Queryable,
  { id, workspaceId }: Pick<typeof skills.$inferSelect, "id" | "workspaceId">,
): Promise<void> {
  const attached = db
    .select({ fileId: skillAttachments.fileId })
    .from(skillAttachments)
    .where(eq(skillAttachments.skillId, id));
  const imported = and(eq(files.workspaceId, workspaceId), eq(files.useCase, USE_CASE));
  await db.delete(files).where(and(imported, inArray(files.sid, attached)));
}

const textTypes: Readonly<Record<string, string>> = {
  md: "text/markdown",
  csv: "text/csv",
  json: "application/json",
};

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The type of an imported file, by its extension and bytes. Pages are plain text. */
function contentTypeOf(path: string, bytes: Uint8Array): string {
  if (bytes.includes(0)) return "application/octet-stream";
  try {
    decoder.decode(bytes);
  } catch {
    return "application/octet-stream";
  }
  return textTypes[path.split(".").at(-1) ?? ""] ?? "text/plain";
}
