import { insertRow, type Queryable, skillEditors, skills, users } from "@parley/db";
import {
  type AdministeredSkill,
  type CreateSkill,
  type MoveSkill,
  ParleyError,
  type PublishSkill,
  type SkillStatus,
  type Success,
  type UpdateSkill,
} from "@parley/schema";
import { asc, eq } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { threadOptions } from "../untrusted/threads.ts";
import {
  administeredWorkspace,
  editorOf,
  type Moves,
  moveState,
  requireVersion,
} from "../workspaces/administered-workspace.ts";
import { renderTexts } from "./folders/instructions-renderer.ts";
import { requireSkill, type SkillRow } from "./required-skill.ts";
import { findSpaces, findTools, setAttachments, setEditors, setTools } from "./skill-references.ts";
import { changeVersion, storeNewVersion } from "./skill-versions.ts";
import { mayEdit, renderSkills } from "./skills.ts";

/** Changes of the state of a skill. */
export type SkillMove = "approve" | "archive" | "restore" | "publish";

const moves: Moves<SkillStatus, SkillMove> = {
  approve: { suggested: "active" },
  archive: { suggested: "archived", active: "archived" },
  restore: { archived: "active" },
  publish: { active: "active" },
};

/** Whether there is a move from one state to another; staying is none. */
export function canMove(from: SkillStatus, to: SkillStatus): boolean {
  return Object.values(moves).some((move) => move[from] === to);
}

/** The state that a move leads to. Throws `invalid_request_error` for an impossible move. */
export function moveSkill(status: SkillStatus, move: SkillMove): SkillStatus {
  return moveState("skill", { moves, status, move });
}

type Changes = PgUpdateSetSource<typeof skills>;

/** Reads a skill that the caller reaches, with its version. Throws `skill_not_found`. */
export async function getSkill(
  context: RequestContext,
  input: { wId: string; skillId: string },
): Promise<AdministeredSkill> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  return renderAdministered(context, db, await requireSkill(context, db, { workspace, ...input }));
}

/**
 * Creates a skill. Throws `space_not_found`, `member_not_found`, `file_not_found` and `tool_not_found`
 * for ids that the workspace does not have.
 */
export async function createSkill(
  context: RequestContext,
  input: CreateSkill,
): Promise<AdministeredSkill> {
  const written = await renderInstructions(context, input);
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const now = context.now();
    const manualIds = { workspace, sids: input.spaceIds ?? [] };
    const found = await findTools(context, db, { workspace, sids: input.toolIds ?? [] });
    const row = await insertRow(db, skills, {
      sid: context.newId("skl"),
      workspaceId: workspace.id,
      name: input.name,
      status: input.status ?? "active",
      availability: input.availability ?? "editors",
      agentFacingDescription: input.agentFacingDescription,
      userFacingDescription: input.userFacingDescription ?? input.agentFacingDescription,
      icon: input.icon || null,
      source: "api",
      reinforcement: input.reinforcement ?? "auto",
      requestedSpaceIds: spacesOf(found),
      manuallyRequestedSpaceIds: await findSpaces(context, db, manualIds),
      ...written,
      editedBy: editorOf(context.caller),
      createdAt: now,
      updatedAt: now,
    });
    markCreated(row.sid);
    await setEditors(db, row, input.editorIds ?? []);
    await setTools(db, row.id, found);
    await setAttachments(context, db, { skill: row, sids: input.fileIds ?? [] });
    await storeNewVersion(context, db, row.id);
    return renderAdministered(context, db, row);
  });
}

/**
 * Changes a skill; an empty icon or empty instructions clear them. Throws `version_conflict` if it was
 * changed since the named version.
 */
export async function updateSkill(
  context: RequestContext,
  input: UpdateSkill,
): Promise<AdministeredSkill> {
  const written = await renderInstructions(context, input);
  return changeSkill(context, input, async (db, workspace, row) => {
    const { spaceIds, editorIds, toolIds, fileIds } = input;
    const found = toolIds && (await findTools(context, db, { workspace, sids: toolIds }));
    if (found !== undefined) await setTools(db, row.id, found);
    if (editorIds !== undefined) await setEditors(db, row, editorIds);
    if (fileIds !== undefined) await setAttachments(context, db, { skill: row, sids: fileIds });
    return {
      name: input.name,
      agentFacingDescription: input.agentFacingDescription,
      userFacingDescription: input.userFacingDescription,
      icon: (input.icon ?? row.icon) || null,
      reinforcement: input.reinforcement,
      ...written,
      requestedSpaceIds: found && spacesOf(found),
      manuallyRequestedSpaceIds:
        spaceIds && (await findSpaces(context, db, { workspace, sids: spaceIds })),
    };
  });
}

/** Activates a suggested skill. */
export const approveSkill = mover("approve");
/** Archives a skill: only lists of archived skills show it. */
export const archiveSkill = mover("archive");
/** Activates an archived skill again. */
export const restoreSkill = mover("restore");

/** Sets the availability of an active skill. */
export async function publishSkill(
  context: RequestContext,
  input: PublishSkill,
): Promise<AdministeredSkill> {
  return changeSkill(context, input, async (_db, _workspace, { status }) => ({
    status: moveSkill(status, "publish"),
    availability: input.availability,
  }));
}

/** Archives a skill in whatever version it is; again without harm. Throws `skill_not_found`. */
export async function deleteSkill(
  context: RequestContext,
  input: { wId: string; skillId: string },
): Promise<Success> {
  await changeSkill(context, input, async (_db, _workspace, { status }) => ({
    status: status === "archived" ? status : moveSkill(status, "archive"),
  }));
  return { success: true };
}

function mover(move: SkillMove) {
  return async (context: RequestContext, input: MoveSkill): Promise<AdministeredSkill> =>
    changeSkill(context, input, async (_db, _workspace, { status }) => ({
      status: moveSkill(status, move),
    }));
}

/** Changes a skill under a lock, from the version that the caller names, if any, to the next. */
async function changeSkill(
  context: RequestContext,
  input: Omit<MoveSkill, "version"> & Partial<Pick<MoveSkill, "version">>,
  change: (db: Queryable, workspace: WorkspaceRow, row: SkillRow) => Promise<Changes>,
): Promise<AdministeredSkill> {
  return inTransaction(context, async ({ db }) => {
    const { caller } = context;
    const workspace = await administeredWorkspace(context, db, input.wId);
    const row = await requireSkill(context, db, { workspace, skillId: input.skillId }, "update");
    const editors = await db.select().from(skillEditors).where(eq(skillEditors.skillId, row.id));
    const editorIds = editors.map(({ userId }) => userId);
    if (!mayEdit(caller, editorIds)) {
      throw new ParleyError("app_auth_error", "Only admins and the skill's editors can change it");
    }
    if (input.version !== undefined) requireVersion("skill", row, input.version);
    const write = async () =>
      db
        .update(skills)
        .set({
          ...(await change(db, workspace, row)),
          version: row.version + 1,
          updatedAt: context.now(),
          ...(caller.kind === "workspace" && { editedBy: caller.user.id }),
        })
        .where(eq(skills.id, row.id))
        .returning();
    const [changed] = await changeVersion(context, db, { id: row.id, change: write });
    if (changed === undefined) throw new Error("The skill was not written");
    return renderAdministered(context, db, changed);
  });
}

/** The spaces that a skill needs for its tools. */
function spacesOf(found: readonly { spaceId: string }[]): string[] {
  return [...new Set(found.map(({ spaceId }) => spaceId))].toSorted();
}

/** The columns of given instructions; empty ones clear them. Waits for threads: not for a transaction. */
async function renderInstructions(
  context: RequestContext,
  { instructions: text }: { instructions?: string | undefined },
): Promise<Pick<typeof skills.$inferInsert, "instructions" | "instructionsHtml">> {
  if (text === undefined) return {};
  if (text === "") return { instructions: null, instructionsHtml: null };
  const texts = [{ path: "instructions", text }];
  const [instructionsHtml] = await renderTexts(context.threads, texts, threadOptions(context));
  return { instructions: text, instructionsHtml };
}

async function renderAdministered(
  context: RequestContext,
  db: Queryable,
  row: SkillRow,
): Promise<AdministeredSkill> {
  const [skill] = await renderSkills(context, db, [row]);
  if (skill === undefined) throw new Error("The skill was not rendered");
  const editors = await db
    .select({ sid: users.sid })
    .from(skillEditors)
    .innerJoin(users, eq(users.id, skillEditors.userId))
    .where(eq(skillEditors.skillId, row.id))
    .orderBy(asc(users.id));
  return { skill, version: row.version, editorIds: editors.map(({ sid }) => sid) };
}
