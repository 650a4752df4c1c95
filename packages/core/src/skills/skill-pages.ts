import { skills } from "@parley/db";
import type { Skill } from "@parley/schema";
import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { findFiles } from "../files/files.ts";
import { isVisible, renderSkills } from "./skills.ts";
import { type PageEnd, takePage } from "../data-access/pages.ts";

/** A file of a skill that the caller reaches. */
export interface SkillFile {
  readonly fileId: string;
  /** Name of the attachment, which may be a path. */
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
}

/** A skill with those of its files that the caller reaches. */
export interface SkillWithFiles {
  readonly skill: Skill;
  readonly files: readonly SkillFile[];
}

/** Lists the active skills that `listSkills` lists by default, by id, a page at a time. */
export async function listSkillPage(
  context: Context,
  { lastValue, limit }: { lastValue?: string | undefined; limit: number },
): Promise<{ skills: SkillWithFiles[] } & PageEnd> {
  const isAfter =
    lastValue === undefined ? undefined : gt(sql`${skills.sid} collate "C"`, lastValue);
  const found = await readSkills(context, { condition: isAfter, limit: limit + 1 });
  const { page, end } = takePage(found, { limit }, ({ skill }) => skill.sId);
  return { skills: page, ...end };
}

/** The skill with this id, if `listSkills` lists it by default. Undefined when there is none. */
export async function findListedSkill(
  context: Context,
  sid: string,
): Promise<SkillWithFiles | undefined> {
  const [found] = await readSkills(context, { condition: eq(skills.sid, sid), limit: 1 });
  return found;
}

async function readSkills(
  context: Context,
  { condition, limit }: { condition: SQL | undefined; limit: number },
): Promise<SkillWithFiles[]> {
  const { db } = context.database;
  const rows = await db
    .select()
    .from(skills)
    .where(
      and(
        isVisible(context, { bypassEditorVisibility: false }),
        eq(skills.status, "active"),
        condition,
      ),
    )
    .orderBy(sql`${skills.sid} collate "C"`)
    .limit(limit);
  const rendered = await renderSkills(context, db, rows);
  const attached = rendered.flatMap((skill) => skill.fileAttachments.map(({ fileId }) => fileId));
  const files = new Map((await findFiles(db, context, attached)).map((file) => [file.sid, file]));
  return rendered.map((skill) => ({
    skill,
    files: skill.fileAttachments.flatMap(({ fileId, fileName }) => {
      const file = files.get(fileId);
      if (file === undefined || file.sha256 === null) return [];
      const { contentType, sizeBytes, sha256 } = file;
      return { fileId, fileName, contentType, sizeBytes, sha256 };
    }),
  }));
}
