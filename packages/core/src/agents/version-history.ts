/** The versions of agents: what each was, what changed in it, and the way back to it. */
import { agents, type Queryable, statement, users } from "@parley/db";
import {
  type agentMembers,
  type AgentVersionDefinition,
  type AgentVersionIdentity,
  type AgentVersionPage,
  type AgentWithScript,
  type ListAgentVersions,
  type ListedAgentVersion,
  ParleyError,
  type RestoreAgentVersion,
} from "@parley/schema";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import type { AgentRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { requireAgentModels } from "../workspaces/models.ts";
import { noSuchAgent } from "./agents.ts";
import { readDefinition } from "./read-agents.ts";
import { insertVersion, requireAgent } from "./write-agents.ts";

const columns = (...names: string[]): SQL =>
  sql.raw(names.map((name) => `a.${name} is distinct from b.${name}`).join(" or "));

const grants = (table: string, id: string): SQL => {
  const of = (alias: string) =>
    `array(select g.${id} from ${table} g where g.agent_id = ${alias}.id order by g.position)`;
  return sql.raw(`${of("a")} <> ${of("b")}`);
};

/** Whether a version `a` differs from the one before, `b`, in a member. */
const differs: Record<(typeof agentMembers)[number], SQL> = {
  name: columns("name"),
  description: columns("description"),
  instructions: columns("instructions"),
  pictureUrl: columns("picture_url"),
  scope: columns("scope"),
  model: columns("provider_id", "model_id", "temperature", "reasoning_effort"),
  fallbackModels: columns("fallback_models"),
  maxStepsPerRun: columns("max_steps_per_run"),
  script: columns("script"),
  asksUser: columns("asks_user"),
  team: columns("team"),
  compaction: columns("compaction"),
  knowledge: columns("knowledge"),
  memory: columns("memory"),
  responseFormat: columns("response_format"),
  tags: columns("tags"),
  skillIds: grants("agent_skills", "skill_id"),
  functionIds: grants("agent_functions", "function_id"),
  toolIds: grants("agent_tools", "tool_id"),
};

const changedMembers = sql.join(
  Object.entries(differs).map(
    ([member, condition]) => sql`case when ${condition} then ${sql.raw(`'${member}'`)} end`,
  ),
  sql`, `,
);

// Texts that are long are compared where they are.
const listStatement = statement<
  { workspaceId: number; sid: string; before: number; limit: number },
  ListedAgentVersion
>(
  "list_agent_versions",
  sql`
  select a.version, a.created_at::float8 as "createdAt", a.is_current as "isCurrent", a.name,
    a.provider_id as "providerId", a.model_id as "modelId",
    case when u.id is not null then json_build_object('sId', u.sid, 'name', u.full_name) end as editor,
    case when b.id is not null then array_remove(array[${changedMembers}], null) end as changes
  from agents a
  left join users u on u.id = a.edited_by
  left join lateral (
    select * from agents earlier
    where earlier.workspace_id = a.workspace_id and earlier.sid = a.sid
      and earlier.version < a.version and earlier.version >= 0
    order by earlier.version desc limit 1
  ) b on true
  where a.workspace_id = ${sql.placeholder("workspaceId")} and a.sid = ${sql.placeholder("sid")}
    and a.version >= 0 and a.version < ${sql.placeholder("before")}::bigint
  order by a.version desc limit ${sql.placeholder("limit")}`,
);

/** Lists the versions of an agent, the newest first, a page at a time. Throws `agent_not_found`. */
export async function listAgentVersions(
  context: RequestContext,
  { wId, agentId: sid, lastValue, limit }: ListAgentVersions,
): Promise<AgentVersionPage> {
  const { db } = context.database;
  const { id: workspaceId } = await administeredWorkspace(context, db, wId);
  const before = lastValue === undefined ? Number.MAX_SAFE_INTEGER : Number(lastValue);
  const values = { workspaceId, sid, before, limit: limit + 1 };
  const rows = await listStatement.execute(db, values);
  if (rows.length === 0) await requireKnown(db, { workspaceId, sid });
  const { page, end } = takePage(rows, { limit }, ({ version }) => version);
  return { versions: page, ...end };
}

/**
 * Reads a version of an agent, with what it was granted, as far as the caller reaches it. Throws `agent_not_found`,
 * also for a version that the agent does not have.
 */
export async function getAgentVersion(
  context: RequestContext,
  { wId, agentId: sid, agentVersion }: AgentVersionIdentity,
): Promise<AgentVersionDefinition> {
  const { db } = context.database;
  const { id: workspaceId } = await administeredWorkspace(context, db, wId);
  await requireKnown(db, { workspaceId, sid });
  const agent = await requireStored(db, { workspaceId, sid, version: agentVersion });
  const [editor] =
    agent.editedBy === null
      ? []
      : await db
          .select({ sId: users.sid, name: users.fullName })
          .from(users)
          .where(and(eq(users.id, agent.editedBy), eq(users.workspaceId, workspaceId)));
  const shown = await readDefinition(context, db, agent);
  return { ...shown, editor: editor ?? null, isCurrent: agent.isCurrent };
}

/**
 * Restores a version of an agent: writes a new version equal to it. The agent's state and editors stay, and so do the
 * current skills and tools that the caller does not reach. Throws `agent_not_found`, `version_conflict` if the agent was
 * changed since the named version, `model_disabled`, and `sandbox_function_not_found` for an archived function.
 */
export async function restoreAgentVersion(
  context: RequestContext,
  input: RestoreAgentVersion,
): Promise<AgentWithScript> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const before = await requireAgent(db, workspace.id, input.agentId);
    if (input.version !== undefined) requireVersion("agent", before, input.version);
    const { workspaceId, sid } = before;
    const stored = await requireStored(db, { workspaceId, sid, version: input.agentVersion });
    requireAgentModels(workspace, stored, stored.fallbackModels);
    const { skillIds, functionIds, toolIds } = await readDefinition(context, db, stored);
    const { id: _id, version: _version, isCurrent: _current, status: _status, ...changes } = stored;
    const named = { skillIds, functionIds, toolIds };
    return insertVersion(context, db, { before, changes, ...named });
  });
}

interface Agent {
  readonly workspaceId: number;
  readonly sid: string;
}

const isOf = ({ workspaceId, sid }: Agent) =>
  and(eq(agents.workspaceId, workspaceId), eq(agents.sid, sid));

async function requireKnown(db: Queryable, agent: Agent): Promise<void> {
  const [row] = await db
    .select({ id: agents.id })
    .from(agents)
    .where(and(isOf(agent), eq(agents.isCurrent, true)));
  if (row === undefined) throw noSuchAgent();
}

async function requireStored(
  db: Queryable,
  { version, ...agent }: Agent & { readonly version: number },
): Promise<AgentRow> {
  const [row] = await db
    .select()
    .from(agents)
    .where(and(isOf(agent), eq(agents.version, version)));
  if (row !== undefined) return row;
  throw new ParleyError("agent_not_found", "agentVersion: the agent has no such version");
}
