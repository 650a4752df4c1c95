import {
  insertRow,
  type Queryable,
  skillAttachments,
  skillEditors,
  skillOriginals,
  skills,
} from "@parley/db";
import { type ImportReport, type ImportSkills, invalidRequest, ParleyError } from "@parley/schema";
import { and, asc, eq, inArray } from "drizzle-orm";
import { reachesSkill } from "../access/skill-reach.ts";
import type { Context } from "../context.ts";
import { lockWorkspace } from "../files/files.ts";
import { inTransaction } from "../log/transaction.ts";
import { reservingStorage } from "../storage/reserve-storage.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { requireVersion } from "../workspaces/administered-workspace.ts";
import { threadOptions } from "../untrusted/threads.ts";
import type { FolderFile } from "./folders/check-files.ts";
import { renderTexts } from "./folders/instructions-renderer.ts";
import { type ParsedSkill, parseSkillFolders } from "./folders/parse-skill-folders.ts";
import { createParseYaml } from "./folders/read-front-matter.ts";
import { requireSkill } from "./required-skill.ts";
import { deleteSkillFiles, insertSkillFiles } from "./skill-files.ts";
import { canMove } from "./skill-administration.ts";
import { changeVersion, storeNewVersion } from "./skill-versions.ts";
import { mayEdit } from "./skills.ts";

type SkillRow = typeof skills.$inferSelect;
type NewSkill = ParsedSkill & { readonly instructionsHtml: string };

/**
 * Imports the Agent Skills folders of an upload, all of them or none. Throws
 * `invalid_request_error` with an issue for each refused file, and `skill_already_exists` if names are
 * taken and the input does not resolve the conflict. For a skill that the input names it throws
 * `skill_not_found`, and `version_conflict` if it was changed since the named version.
 */
export async function importSkills(
  context: Context & StorageServices,
  given: ImportSkills,
  files: readonly FolderFile[],
): Promise<ImportReport> {
  const isNamed = given.skillId !== undefined;
  const input = isNamed ? { ...given, onConflict: "override" as const } : given;
  const parseYaml = createParseYaml(context.threads, threadOptions(context));
  const parsed = await parseSkillFolders(files, parseYaml);
  if (parsed.issues.length > 0) throw invalidRequest("body", parsed.issues.slice(0, 20));
  requireOneReplaced(given, parsed.skills);
  const found = await renderSkills(context, parsed.skills);
  const attachments = found.flatMap((skill) => skill.attachments);
  const fileIds = await context.takeRowIds(attachments.length);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const write: Parameters<typeof inTransaction<ImportReport>>[1] = async ({ db, markCreated }) => {
    // The lock on the workspace makes imports serial.
    await lockWorkspace(db, context.caller.workspace.id, "no key update");
    const known = isNamed
      ? await findReplaced(db, context, { input, found })
      : await findNamesakes(db, context, found);
    await requireAllowed(db, context, { input, found, known });
    const report: ImportReport = { imported: [], updated: [], skipped: [] };
    for (const skill of found) {
      const [before] = known.get(skill.name) ?? [];
      const about = { name: before?.name ?? skill.name, filePath: skill.filePath };
      if (before !== undefined && input.onConflict === "skip") {
        const reason = "The workspace has a skill of this name";
        report.skipped.push({ sId: before.sid, ...about, reason });
        continue;
      }
      const attach = async ({ id: skillId }: SkillRow) => {
        const executableFileIds = await insertSkillFiles(db, context, {
          skillId,
          fileIds: fileIds.splice(0, skill.attachments.length),
          files: skill.attachments,
        });
        const original = { skillFile: skill.skillFile, executableFileIds };
        await db
          .insert(skillOriginals)
          .values({ skillId, ...original })
          .onConflictDoUpdate({ target: skillOriginals.skillId, set: original });
      };
      const row = before
        ? await updateSkill(db, context, { input, skill, before, attach })
        : await insertSkill(db, context, { input, skill, attach });
      const replaced = isNamed ? "skillId names it" : "onConflict is override";
      const reason = before ? replaced : "The workspace had no skill of this name";
      report[before ? "updated" : "imported"].push({ sId: row.sid, ...about, reason });
    }
    const written = [...report.imported, ...report.updated].map(({ sId }) => sId);
    markCreated(written.length > 0 ? written.join("/") : context.caller.workspace.sid);
    return report;
  };
  return reservingStorage(context, bytes, () => inTransaction(context, write));
}

async function renderSkills(context: Context, parsed: readonly ParsedSkill[]): Promise<NewSkill[]> {
  const texts = parsed.map(({ filePath: path, instructions: text }) => ({ path, text }));
  const pages = await renderTexts(context.threads, texts, threadOptions(context));
  return parsed.map((skill, index) => ({ ...skill, instructionsHtml: pages[index] ?? "" }));
}

/**
 * The skills with the names of these, by name, that the caller reaches. Names need not be unique, and
 * the caller must not learn which are taken in a closed space.
 */
async function findNamesakes(
  db: Queryable,
  { caller }: Context,
  found: readonly ParsedSkill[],
): Promise<Map<string, SkillRow[]>> {
  const names = found.map(({ name }) => name);
  const rows = await db
    .select()
    .from(skills)
    .where(
      and(
        eq(skills.workspaceId, caller.workspace.id),
        inArray(skills.name, names),
        reachesSkill(caller),
      ),
    )
    .orderBy(asc(skills.id))
    .for("update");
  return Map.groupBy(rows, (row) => row.name);
}

/** Throws `invalid_request_error` if a replacement does not name one skill, its version and one folder. */
function requireOneReplaced(
  { skillId, version }: ImportSkills,
  parsed: readonly ParsedSkill[],
): void {
  if ((skillId === undefined) !== (version === undefined)) {
    const path = skillId === undefined ? "skillId" : "version";
    throw invalidRequest("body", [
      { path, message: "is required: skillId and version go together" },
    ]);
  }
  if (skillId === undefined || parsed.length === 1) return;
  throw invalidRequest("body", [
    { path: "skillId", message: "only works with a single skill folder" },
  ]);
}

/** The skill that the input names, in the version that it names, under the name of the one folder. */
async function findReplaced(
  db: Queryable,
  context: Context,
  { input, found }: { input: ImportSkills; found: readonly ParsedSkill[] },
): Promise<Map<string, SkillRow[]>> {
  const { skillId = "", version = 0 } = input;
  const { workspace } = context.caller;
  const row = await requireSkill(context, db, { workspace, skillId }, "update");
  requireVersion("skill", row, version);
  return new Map(found.map(({ name }) => [name, [row]]));
}

interface Conflicts {
  readonly input: ImportSkills;
  readonly found: readonly ParsedSkill[];
  readonly known: ReadonlyMap<string, readonly SkillRow[]>;
}

/** Throws `skill_already_exists` if a name is taken and its skill cannot be skipped or replaced. */
async function requireAllowed(
  db: Queryable,
  context: Context,
  { input, found, known }: Conflicts,
): Promise<void> {
  if (input.onConflict === "skip" || known.size === 0) return;
  const ids = [...known.values()].flat().map((row) => row.id);
  const editors = await db.select().from(skillEditors).where(inArray(skillEditors.skillId, ids));
  const editorsOf = Map.groupBy(editors, (one) => one.skillId);
  const issues = found.flatMap(({ name, filePath: path }) => {
    const rows = known.get(name) ?? [];
    if (rows.length === 0) return [];
    if (input.onConflict !== "override") {
      const message = `the workspace has a skill ${name}: set onConflict to skip or override`;
      return [{ path, message }];
    }
    if (rows.length > 1)
      return [{ path, message: `the workspace has several skills named ${name}` }];
    const editorIds = rows.flatMap((row) => editorsOf.get(row.id) ?? []).map((one) => one.userId);
    if (!mayEdit(context.caller, editorIds)) {
      return [{ path, message: `only admins and the editors of ${name} can replace it` }];
    }
    const message = findFaultOfMove(input, rows[0]);
    return message === undefined ? [] : [{ path, message: `the skill ${name} is ${message}` }];
  });
  const [first] = issues;
  if (first === undefined) return;
  const message = `${first.path}: ${first.message}`;
  throw new ParleyError("skill_already_exists", message, { issues: issues.slice(0, 20) });
}

/** Why an import cannot give a skill the state and the availability that it names. */
function findFaultOfMove(
  { status, availability }: ImportSkills,
  row: SkillRow | undefined,
): string | undefined {
  if (row === undefined) return undefined;
  const next = status ?? row.status;
  if (next !== row.status && !canMove(row.status, next)) {
    return `${row.status}, which cannot become ${next}`;
  }
  // Publishing is for active skills.
  if (availability === undefined || availability === row.availability || next === "active") {
    return undefined;
  }
  return `${next}, and only an active skill can be available to others: import it with the status active`;
}

interface Written {
  readonly input: ImportSkills;
  readonly skill: NewSkill;
  /** Stores its files. */
  readonly attach: (row: SkillRow) => Promise<void>;
}

async function insertSkill(
  db: Queryable,
  context: Context,
  { input, skill, attach }: Written,
): Promise<SkillRow> {
  const row = await insertRow(db, skills, {
    sid: context.newId("skl"),
    workspaceId: context.caller.workspace.id,
    name: skill.name,
    status: input.status ?? "suggested",
    availability: input.availability ?? "editors",
    userFacingDescription: skill.description,
    reinforcement: "auto",
    createdAt: context.now(),
    ...importedColumns(context, { input, skill }),
  });
  await attach(row);
  await storeNewVersion(context, db, row.id);
  return row;
}

/** Replaces the contents of a skill; its state changes only if the input names one. */
async function updateSkill(
  db: Queryable,
  context: Context,
  { input, skill, before, attach }: Written & { before: SkillRow },
): Promise<SkillRow> {
  const { id } = before;
  const change = async () => {
    await deleteSkillFiles(db, before);
    await db.delete(skillAttachments).where(eq(skillAttachments.skillId, id));
    await db
      .update(skills)
      .set({
        version: before.version + 1,
        status: input.status,
        availability: input.availability,
        userFacingDescription: before.userFacingDescription || skill.description,
        ...importedColumns(context, { input, skill }),
      })
      .where(eq(skills.id, id));
    await attach(before);
  };
  await changeVersion(context, db, { id, change });
  return before;
}

function importedColumns(context: Context, { input, skill }: Pick<Written, "input" | "skill">) {
  const { repoUrl, source = "api" } = input;
  const isOnGithub =
    repoUrl !== undefined && /^(?:www\.)?github\.com$/.test(new URL(repoUrl).hostname);
  return {
    agentFacingDescription: skill.description,
    instructions: skill.instructions,
    instructionsHtml: skill.instructionsHtml,
    source: isOnGithub ? ("github" as const) : source,
    sourceMetadata: repoUrl === undefined ? null : { repoUrl, filePath: skill.filePath },
    editedBy: context.caller.user.id,
    updatedAt: context.now(),
  };
}
