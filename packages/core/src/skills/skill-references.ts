import {
  files,
  type Queryable,
  replaceRows,
  skillAttachments,
  skillEditors,
  skillTools,
  spaces,
  tools,
} from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, inArray } from "drizzle-orm";
import { reachesSpace } from "../access/space-reach.ts";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { reachesUploaded } from "../files/files.ts";
import { requireFound } from "../workspaces/administered-workspace.ts";
import { requireUsers } from "../workspaces/users.ts";

/** A tool of a skill. */
interface FoundTool {
  readonly id: number;
  readonly spaceId: string;
}

/** The ids, once each, of spaces that the caller reaches. Throws `space_not_found`. */
export async function findSpaces(
  { caller }: RequestContext,
  db: Queryable,
  { workspace, sids }: { workspace: WorkspaceRow; sids: readonly string[] },
): Promise<string[]> {
  const ofWorkspace = eq(spaces.workspaceId, workspace.id);
  const rows = await db
    .select({ sid: spaces.sid })
    .from(spaces)
    .where(and(ofWorkspace, inArray(spaces.sid, [...sids]), reachesSpace(caller)));
  const found = requireFound(rows, sids, (sid) => {
    return new ParleyError("space_not_found", `spaceIds: the workspace has no space ${sid}`);
  });
  return found.map(({ sid }) => sid);
}

/** The tools, once each, in spaces that the caller reaches, in order. Throws `tool_not_found`. */
export async function findTools(
  { caller }: RequestContext,
  db: Queryable,
  { workspace, sids }: { workspace: WorkspaceRow; sids: readonly string[] },
): Promise<FoundTool[]> {
  const rows = await db
    .select({ id: tools.id, sid: tools.sid, spaceId: spaces.sid })
    .from(tools)
    .innerJoin(spaces, eq(spaces.id, tools.spaceId))
    .where(
      and(eq(tools.workspaceId, workspace.id), inArray(tools.sid, [...sids]), reachesSpace(caller)),
    )
    // Locked against removal until the skill has the tool.
    .for("key share", { of: tools });
  return requireFound(rows, sids, (sid) => {
    return new ParleyError("tool_not_found", `toolIds: the workspace has no tool ${sid}`);
  });
}

/** Replaces the tools of a skill, in order. */
export async function setTools(
  db: Queryable,
  skillId: number,
  found: readonly FoundTool[],
): Promise<void> {
  const rows = found.map(({ id: toolId }, position) => ({ skillId, toolId, position }));
  await replaceRows(db, skillTools, { where: eq(skillTools.skillId, skillId), rows });
}

interface SkillReference {
  readonly id: number;
  readonly workspaceId: number;
}

/** Replaces the editors of a skill. Throws `member_not_found`. */
export async function setEditors(
  db: Queryable,
  { id: skillId, workspaceId }: SkillReference,
  sids: readonly string[],
): Promise<void> {
  const editors = await requireUsers(db, { workspaceId, sids, member: "editorIds" });
  const rows = editors.map(({ id: userId }) => ({ skillId, userId }));
  await replaceRows(db, skillEditors, { where: eq(skillEditors.skillId, skillId), rows });
}

/** Replaces the attachments of a skill by uploaded files that the caller reaches. Throws `file_not_found`. */
export async function setAttachments(
  { caller }: RequestContext,
  db: Queryable,
  { skill, sids }: { skill: SkillReference; sids: readonly string[] },
): Promise<void> {
  const { id: skillId, workspaceId } = skill;
  const found = await db
    .select({ sid: files.sid, fileName: files.fileName })
    .from(files)
    .where(
      and(
        eq(files.workspaceId, workspaceId),
        inArray(files.sid, [...sids]),
        eq(files.status, "ready"),
        // Files of conversations cannot be attached.
        reachesUploaded(caller),
      ),
    )
    // Locked against deletion until the file is attached.
    .for("key share");
  const attached = requireFound(found, sids, (sid) => {
    const message = `fileIds: the workspace has no uploaded file ${sid}`;
    return new ParleyError("file_not_found", message, { status: 400 });
  });
  await replaceRows(db, skillAttachments, {
    where: eq(skillAttachments.skillId, skillId),
    rows: attached.map(({ sid, fileName }, position) => {
      return { skillId, position, fileId: sid, fileName };
    }),
  });
}
