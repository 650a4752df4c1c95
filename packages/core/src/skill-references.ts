import {
  files,
  type Queryable,
  skillAttachments,
  skillEditors,
  skillTools,
  spaces,
  tools,
  users,
} from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, inArray, isNull, type SQL } from "drizzle-orm";
import type { Caller, RequestContext } from "./context.ts";
import type { WorkspaceRow } from "./rows.ts";
import { reachesSpace } from "./spaces.ts";

/** A tool that a skill is given. */
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
  const wanted = [...new Set(sids)];
  const found = await db
    .select({ sid: spaces.sid })
    .from(spaces)
    .where(and(eq(spaces.workspaceId, workspace.id), inArray(spaces.sid, wanted), reach(caller)));
  const missing = missingOf(wanted, found);
  if (missing === undefined) return wanted;
  throw new ParleyError("space_not_found", `spaceIds: the workspace has no space ${missing}`);
}

/** The tools, once each, in spaces that the caller reaches, in order. Throws `tool_not_found`. */
export async function findTools(
  { caller }: RequestContext,
  db: Queryable,
  { workspace, sids }: { workspace: WorkspaceRow; sids: readonly string[] },
): Promise<FoundTool[]> {
  const wanted = [...new Set(sids)];
  const found = await db
    .select({ id: tools.id, sid: tools.sid, spaceId: spaces.sid })
    .from(tools)
    .innerJoin(spaces, eq(spaces.id, tools.spaceId))
    .where(and(eq(tools.workspaceId, workspace.id), inArray(tools.sid, wanted), reach(caller)))
    // A tool is removed before it is given to the skill, or after, but not meanwhile.
    .for("key share", { of: tools });
  const missing = missingOf(wanted, found);
  if (missing !== undefined) {
    throw new ParleyError("tool_not_found", `toolIds: the workspace has no tool ${missing}`);
  }
  return found.toSorted((a, b) => wanted.indexOf(a.sid) - wanted.indexOf(b.sid));
}

/** Gives a skill these tools alone, in order. */
export async function setTools(
  db: Queryable,
  skillId: number,
  found: readonly FoundTool[],
): Promise<void> {
  await db.delete(skillTools).where(eq(skillTools.skillId, skillId));
  if (found.length === 0) return;
  const links = found.map(({ id }, position) => ({ skillId, toolId: id, position }));
  await db.insert(skillTools).values(links);
}

/** Gives a skill these editors alone. Throws `member_not_found`. */
export async function setEditors(
  db: Queryable,
  skill: { id: number; workspaceId: number },
  sids: readonly string[],
): Promise<void> {
  const wanted = [...new Set(sids)];
  const found = await db
    .select({ id: users.id, sid: users.sid })
    .from(users)
    .where(
      and(
        eq(users.workspaceId, skill.workspaceId),
        inArray(users.sid, wanted),
        isNull(users.removedAt),
      ),
    );
  const missing = missingOf(wanted, found);
  if (missing !== undefined) {
    throw new ParleyError("member_not_found", `editorIds: the workspace has no user ${missing}`);
  }
  await db.delete(skillEditors).where(eq(skillEditors.skillId, skill.id));
  if (found.length === 0) return;
  await db.insert(skillEditors).values(found.map(({ id }) => ({ skillId: skill.id, userId: id })));
}

/** Gives a skill these uploaded files alone, in order. Throws `file_not_found`. */
export async function setAttachments(
  db: Queryable,
  skill: { id: number; workspaceId: number },
  sids: readonly string[],
): Promise<void> {
  const wanted = [...new Set(sids)];
  const found = await db
    .select({ sid: files.sid, fileName: files.fileName })
    .from(files)
    .where(
      and(
        eq(files.workspaceId, skill.workspaceId),
        inArray(files.sid, wanted),
        eq(files.status, "ready"),
        // Those of a conversation are for who reaches the conversation.
        isNull(files.conversationId),
      ),
    );
  const missing = missingOf(wanted, found);
  if (missing !== undefined) {
    const message = `fileIds: the workspace has no uploaded file ${missing}`;
    throw new ParleyError("file_not_found", message, { status: 400 });
  }
  await db.delete(skillAttachments).where(eq(skillAttachments.skillId, skill.id));
  if (found.length === 0) return;
  const names = new Map(found.map(({ sid, fileName }) => [sid, fileName]));
  const rows = wanted.map((fileId, position) => ({
    skillId: skill.id,
    position,
    fileId,
    fileName: names.get(fileId) ?? "",
  }));
  await db.insert(skillAttachments).values(rows);
}

function reach(caller: Caller): SQL | undefined {
  return caller.kind === "workspace" ? reachesSpace(caller.apiKey) : undefined;
}

function missingOf(
  wanted: readonly string[],
  found: readonly { sid: string }[],
): string | undefined {
  return wanted.find((sid) => !found.some((row) => row.sid === sid));
}
