/** The agents that an agent may ask, and hand over to. */
import { agents, type Queryable, statement } from "@parley/db";
import { invalidRequest, ParleyError, type Team } from "@parley/schema";
import { and, eq, inArray, sql } from "drizzle-orm";

/** Versions that a look for a circle reads at most; longer ones end at run time, by their depth. */
const MAX_LOOKED_AT = 500;

const askedStatement = statement<
  { workspaceId: number; from: string },
  { readonly sid: string; readonly asks: string[] }
>(
  "find_asked_agents",
  sql`
  with recursive asked (sid) as (
    select value from json_array_elements_text(${sql.placeholder("from")}::json)
    union
    select member ->> 'agentId'
    from asked join agents a on a.workspace_id = ${sql.placeholder("workspaceId")}
      and a.sid = asked.sid and a.is_current,
      jsonb_array_elements(a.team) member
    where member ->> 'mode' = 'ask'
  )
  select a.sid, array(
    select member ->> 'agentId' from jsonb_array_elements(a.team) member where member ->> 'mode' = 'ask'
  ) as asks
  from (select sid from asked limit ${sql.raw(String(MAX_LOOKED_AT))}) reached
  join agents a on a.workspace_id = ${sql.placeholder("workspaceId")} and a.sid = reached.sid and a.is_current`,
);

/**
 * Checks the team of an agent before it is saved. Throws `agent_not_found` for what the workspace does not have or has
 * archived, and `invalid_request_error` if the agents that are asked would in turn ask this one.
 */
export async function requireTeam(
  db: Queryable,
  { workspaceId, sid, team }: { workspaceId: number; sid: string; team: Team },
): Promise<void> {
  if (team.length === 0) return;
  const ids = [...new Set(team.map(({ agentId }) => agentId))];
  const active = await findActive(db, workspaceId, ids);
  const unknown = team.findIndex(({ agentId }) => !active.has(agentId));
  if (unknown >= 0) {
    const message = `team[${unknown}].agentId: the workspace has no such active agent`;
    throw new ParleyError("agent_not_found", message);
  }
  const own = team.findIndex(({ agentId }) => agentId === sid);
  if (own >= 0) throw circular(own, "an agent cannot be in its own team");
  const from = team.flatMap(({ agentId, mode }) => (mode === "ask" ? [agentId] : []));
  if (from.length === 0) return;
  const asked = await askedStatement.execute(db, { workspaceId, from: JSON.stringify(from) });
  const last = asked.find(({ asks }) => asks.includes(sid));
  if (last === undefined) return;
  const first = team.findIndex(
    (one) => one.mode === "ask" && leadsTo(asked, one.agentId, last.sid),
  );
  throw circular(first, `the agent ${last.sid}, which would be asked, asks this one in turn`);
}

/** Those of the agents that are active, by id. */
export async function findActive(
  db: Queryable,
  workspaceId: number,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ sid: agents.sid })
    .from(agents)
    .where(
      and(
        eq(agents.workspaceId, workspaceId),
        inArray(agents.sid, [...ids]),
        eq(agents.isCurrent, true),
        eq(agents.status, "active"),
      ),
    );
  return new Set(rows.map((row) => row.sid));
}

function leadsTo(
  asked: readonly { readonly sid: string; readonly asks: readonly string[] }[],
  from: string,
  to: string,
): boolean {
  const seen = new Set([from]);
  // A set that grows while it is walked: each agent once.
  for (const sid of seen) {
    if (sid === to) return true;
    for (const next of asked.find((one) => one.sid === sid)?.asks ?? []) seen.add(next);
  }
  return false;
}

function circular(index: number, message: string): ParleyError {
  return invalidRequest("body", [{ path: `team[${Math.max(0, index)}].agentId`, message }]);
}
