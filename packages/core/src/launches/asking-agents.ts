import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { readRemoteServers } from "../tools/called-servers.ts";
import { knownServers, serversOfTurn, type TurnServer } from "../turns/turn-tools.ts";

interface Granted {
  readonly workspaceId: number;
  readonly servers: readonly TurnServer[] | null;
  /** Slug of a function whose calls need an approval. */
  readonly slug: string | null;
}

const grantedStatement = statement<{ agentId: number; spaceId: number | null }, Granted>(
  "find_granted_to_agent",
  sql`
  select a.workspace_id as "workspaceId", (${serversOfTurn}) as servers, (
    select f.slug from agent_functions own
    join sandbox_functions f on f.id = own.function_id and f.status = 'active'
    join sandbox_function_versions v on v.function_id = f.id and v.version = f.version
    where own.agent_id = a.id and v.requires_approval order by own.position limit 1
  ) as slug
  from agents a, (select null::bigint as id, ${sql.placeholder("spaceId")}::bigint as space_id) c
  where a.id = ${sql.placeholder("agentId")}`,
);

/**
 * Names a function or a tool of an agent whose calls wait for somebody: for an approval, or for a user's authorization.
 * Undefined if there is none, as things are now.
 */
export async function asksForApproval(
  { database }: Pick<Process, "database">,
  { agent, spaceId }: { agent: { readonly id: number }; spaceId: number | null },
): Promise<string | undefined> {
  const [granted] = await grantedStatement.execute(database.db, { agentId: agent.id, spaceId });
  if (granted === undefined) return undefined;
  const { workspaceId, servers, slug } = granted;
  if (slug !== null) return `the function ${slug}`;
  const toolIds = knownServers(servers ?? []).map(({ toolId }) => toolId);
  const called = await readRemoteServers({ database }, { workspaceId, toolIds });
  for (const { name, offered, isPersonal, stakeOf } of called) {
    const asking = offered.find((tool) => isPersonal || stakeOf(tool.name) !== "never_ask");
    if (asking !== undefined) return `the tool ${asking.name} of ${name}`;
  }
  return undefined;
}
