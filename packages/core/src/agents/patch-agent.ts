/** Changes of an agent over the public interface: a user's favourite, and what admins edit. */
import { agentFavorites, type Queryable, skills, tools } from "@parley/db";
import { ParleyError, type PatchAgent, type PatchedAgent } from "@parley/schema";
import { and, asc, eq, inArray, or } from "drizzle-orm";
import { reachesSkill } from "../access/skill-reach.ts";
import type { Context } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { isReachedServer } from "../tools/tool-administration.ts";
import { findEditors } from "./agent-editors.ts";
import { changeModels } from "./agent-models.ts";
import { storeInstructions } from "./instruction-columns.ts";
import { getAgent } from "./read-agents.ts";
import { insertVersion, requireAgent } from "./write-agents.ts";

/** What a request changes; members of the interface that agents here do not have are named as warnings. */
type Patch = Partial<PatchAgent> & { readonly wId: string; readonly sId: string };
type Edits = Omit<Partial<PatchAgent>, "userFavorite">;

/**
 * Marks an agent as a favourite of the caller's user, or no longer, and, for an admin key, writes a new
 * version of it. Throws `agent_not_found`, `app_auth_error` if a key that is not an admin's edits the agent,
 * `workspace_auth_error` for a hidden agent, and `model_disabled`.
 */
export async function patchAgent(
  context: Context,
  { wId: _wId, sId, userFavorite, ...edits }: Patch,
): Promise<PatchedAgent> {
  const isEdited = Object.values(edits).some((value) => value !== undefined);
  if (isEdited && context.caller.apiKey.role !== "admin") {
    throw new ParleyError(
      "app_auth_error",
      "Only admin keys can change an agent's fields other than userFavorite",
    );
  }
  // An agent is never deleted, so it is still there when it is marked.
  const read = await getAgent(context, { sId });
  // A favourite is its user's own affair: only edits are recorded.
  if (!isEdited && context.mutation !== undefined) context.mutation.recorded = true;
  const changed: PatchedAgent = isEdited ? await editAgent(context, sId, edits) : read;
  if (userFavorite !== undefined) await setFavorite(context, { sId, userFavorite });
  const isFavorite = userFavorite ?? read.agentConfiguration.userFavorite;
  const agentConfiguration = { ...changed.agentConfiguration, userFavorite: isFavorite };
  return { ...changed, agentConfiguration };
}

async function setFavorite(
  context: Context,
  { sId, userFavorite }: { sId: string; userFavorite: boolean },
): Promise<void> {
  const marked = { userId: context.caller.user.id, agentSid: sId };
  await inTransaction(context, async ({ db }) => {
    if (userFavorite) {
      const row = { ...marked, createdAt: context.now() };
      await db.insert(agentFavorites).values(row).onConflictDoNothing();
      return;
    }
    const { userId, agentSid } = agentFavorites;
    await db.delete(agentFavorites).where(and(eq(userId, marked.userId), eq(agentSid, sId)));
  });
}

async function editAgent(context: Context, sId: string, edits: Edits): Promise<PatchedAgent> {
  const { workspace } = context.caller;
  return inTransaction(context, async ({ db, afterCommit }) => {
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const before = await requireAgent(db, workspace.id, sId);
    const { agent, generation_settings: model, instructions } = edits;
    const pair = {
      providerId: model?.provider_id ?? before.providerId,
      modelId: model?.model_id ?? before.modelId,
    };
    const isNamed = model?.provider_id !== undefined || model?.model_id !== undefined;
    const changes: Partial<AgentRow> = {
      ...changeModels(workspace, before, { model: isNamed ? pair : undefined }),
      temperature: model?.temperature ?? before.temperature,
      reasoningEffort: model?.reasoning_effort ?? before.reasoningEffort,
      tags: edits.tags ?? before.tags,
      name: agent?.handle ?? before.name,
      description: agent?.description ?? before.description,
      ...storeInstructions(instructions, before),
      pictureUrl: agent?.avatar_url ?? before.pictureUrl,
      // Built-in agents stay what they are.
      scope: before.scope === "global" ? "global" : (agent?.scope ?? before.scope),
      maxStepsPerRun: agent?.max_steps_per_run ?? before.maxStepsPerRun,
    };
    const granted = edits.skills && (await findSkills(db, context, edits.skills));
    const called = edits.toolset && (await findToolset(db, context, edits.toolset));
    const edited = edits.editors && (await findEditors(db, workspace.id, edits.editors));
    const { agentConfiguration } = await insertVersion(context, db, {
      before,
      changes,
      functionIds: undefined,
      skillIds: granted?.found,
      toolIds: called?.found,
      editorIds: edited?.editorIds,
    });
    const skippedActions = [...(granted?.skipped ?? []), ...(called?.skipped ?? [])];
    const warnings = [...(edited?.warnings ?? [])];
    if (agent?.visualization_enabled === true) {
      const path = "agent.visualization_enabled";
      warnings.push({ path, message: "Not stored: agents of this server have no visualizations" });
    }
    return {
      agentConfiguration,
      ...(skippedActions.length > 0 && { skippedActions }),
      ...(warnings.length > 0 && { warnings }),
    };
  });
}

interface Found {
  readonly found: string[];
  readonly skipped: { name: string; reason: string }[];
}

async function findSkills(
  db: Queryable,
  { caller }: Context,
  asked: NonNullable<Edits["skills"]>,
): Promise<Found> {
  const sids = asked.flatMap(({ sId }) => sId ?? []);
  const names = asked.flatMap(({ sId, name }) => (sId === undefined ? (name ?? []) : []));
  const rows = await db
    .select({ sid: skills.sid, name: skills.name })
    .from(skills)
    .where(
      and(
        eq(skills.workspaceId, caller.workspace.id),
        or(inArray(skills.sid, sids), inArray(skills.name, names)),
        reachesSkill(caller),
      ),
    )
    .orderBy(asc(skills.id));
  return match(asked, "skill", ({ sId, name }) => {
    const row = rows.find((one) => (sId === undefined ? one.name === name : one.sid === sId));
    return { sid: row?.sid, name: sId ?? name };
  });
}

async function findToolset(
  db: Queryable,
  { caller }: Context,
  asked: NonNullable<Edits["toolset"]>,
): Promise<Found> {
  const nameOf = ({ configuration, name }: (typeof asked)[number]) =>
    configuration?.mcp_server_name ?? name;
  const names = asked.flatMap((one) => nameOf(one) ?? []);
  const rows = await db
    .select({ sid: tools.sid, name: tools.name })
    .from(tools)
    .where(
      and(
        eq(tools.workspaceId, caller.workspace.id),
        or(inArray(tools.sid, names), inArray(tools.name, names)),
        isReachedServer(caller),
      ),
    )
    .orderBy(asc(tools.id));
  return match(asked, "tool", (one) => {
    const name = nameOf(one);
    return { sid: rows.find((row) => row.sid === name || row.name === name)?.sid, name };
  });
}

/** Divides what is asked for into the ids that there are and what is skipped. */
function match<Asked>(
  asked: readonly Asked[],
  kind: string,
  look: (one: Asked) => { sid: string | undefined; name: string | undefined },
): Found {
  const found = new Set<string>();
  const skipped: Found["skipped"] = [];
  for (const { sid, name = "" } of asked.map(look)) {
    if (sid === undefined) skipped.push({ name, reason: `The workspace has no such ${kind}` });
    else found.add(sid);
  }
  return { found: [...found], skipped };
}
