/** Skills as Agent Skills folders in an archive. What was exported imports to an equal skill. */
import { skillAttachments, skillOriginals } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import type { Context } from "../context.ts";
import { readBytes } from "../files/file-bytes.ts";
import { findFiles, type ReadableFile } from "../files/files.ts";
import { readableText } from "../files/readable-text.ts";
import { readableZip, type ZipEntry } from "../files/zip.ts";
import { threadOptions } from "../untrusted/threads.ts";
import { filePathsOf, folderNameOf } from "./folders/folder-paths.ts";
import { createEditSkillFile, createWriteYaml } from "./folders/read-front-matter.ts";
import { requireSkill, type SkillRow } from "./required-skill.ts";

/**
 * Reads a skill as a zip archive of its folder: SKILL.md as it was uploaded, with what was edited since, and its
 * files. A name that no folder may have is changed to one that it may. Throws `skill_not_found`.
 */
export async function exportSkill(
  context: Context,
  { skillId }: { skillId: string },
): Promise<ReadableFile> {
  const { db } = context.database;
  const { workspace } = context.caller;
  const skill = await requireSkill(context, db, { workspace, skillId });
  const attached = await db
    .select({ fileId: skillAttachments.fileId, fileName: skillAttachments.fileName })
    .from(skillAttachments)
    .where(eq(skillAttachments.skillId, skill.id))
    .orderBy(asc(skillAttachments.position));
  const found = await findFiles(
    db,
    context,
    attached.map(({ fileId }) => fileId),
  );
  const bySid = new Map(found.map((row) => [row.sid, row]));
  const files = attached.flatMap(({ fileId, fileName }) => {
    const row = bySid.get(fileId);
    return row === undefined || row.sha256 === null ? [] : { ...row, sha256: row.sha256, fileName };
  });
  const [original] = await db
    .select()
    .from(skillOriginals)
    .where(eq(skillOriginals.skillId, skill.id));
  const executable = new Set(original?.executableFileIds);
  const folder = folderNameOf(skill.name);
  const paths = filePathsOf(files.map(({ fileName }) => fileName));
  const about = { contentType: "text/markdown", fileName: "SKILL.md" };
  const text = readableText(
    await renderSkillFile(context, { skill, folder, original: original?.skillFile }),
    about,
  );
  const entries: ZipEntry[] = [
    { ...text, path: `${folder}/SKILL.md` },
    ...files.map(({ id, sid, sizeBytes, sha256 }, index) => ({
      isExecutable: executable.has(sid),
      path: `${folder}/${paths[index]}`,
      sizeBytes,
      sha256,
      read: (start: number, end: number) => readBytes(context, id, { start, end }),
    })),
  ];
  return readableZip(entries, { fileName: `${folder}.zip`, modifiedAt: skill.updatedAt });
}

interface Rendered {
  readonly skill: SkillRow;
  readonly folder: string;
  /** Its SKILL.md as it was uploaded, if it was. */
  readonly original: string | undefined;
}

/** The SKILL.md as it was uploaded, with what was edited since; or one that says the same. */
async function renderSkillFile(
  context: Context,
  { skill, folder: name, original }: Rendered,
): Promise<string> {
  const { agentFacingDescription: description, instructions } = skill;
  const options = threadOptions(context);
  if (original !== undefined) {
    const editSkillFile = createEditSkillFile(context.threads, options);
    const said = { name, description, instructions: instructions ?? "" };
    const edited = await editSkillFile({ text: original, ...said });
    if (edited !== undefined) return edited;
  }
  const writeYaml = createWriteYaml(context.threads, options);
  const frontMatter = await writeYaml({ name, description });
  return `---\n${frontMatter}---\n\n${instructions ?? ""}\n`;
}
