import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { type PageEnd, takePage } from "../data-access/pages.ts";

/** An active agent as a tool of programs that call agents by name. */
export interface CallableAgent {
  readonly sId: string;
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its answers; null for text. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
  /** Unique in the workspace: the slug of the name, with a suffix if an older agent has the same. */
  readonly slug: string;
}

/** Characters of a name in a slug; a suffix takes 9 more. */
const MAX_SLUG = 48;

// Archived agents keep their slugs, so that a slug never comes to mean another agent.
const withSlugs = sql`
  with current as (
    select a.sid, a.name, a.description, a.status, a.response_format -> 'schema' as answer_schema,
      coalesce(
        nullif(
          trim(both '-' from left(
            trim(both '-' from regexp_replace(lower(a.name), '[^a-z0-9]+', '-', 'g')),
            ${sql.raw(String(MAX_SLUG))})),
          ''),
        'agent') as base,
      (select min(first.id) from agents first
        where first.workspace_id = a.workspace_id and first.sid = a.sid) as first_id
    from agents a where a.workspace_id = ${sql.placeholder("workspaceId")} and a.is_current
  ), named as (
    select *, case row_number() over (partition by base order by first_id)
        when 1 then base else base || '_' || left(md5(sid), 8) end as slug
    from current
  )
  select sid as "sId", name, description, answer_schema as "answerSchema", slug from named where status = 'active'`;

const listStatement = statement<
  { workspaceId: number; after: string; count: number },
  CallableAgent
>(
  "list_callable_agents",
  sql`${withSlugs} and sid collate "C" > ${sql.placeholder("after")}
    order by sid collate "C" limit ${sql.placeholder("count")}`,
);

const findStatement = statement<{ workspaceId: number; slug: string }, CallableAgent>(
  "find_callable_agent",
  sql`${withSlugs} and slug = ${sql.placeholder("slug")}`,
);

/** Lists the workspace's active agents with their slugs, by id, a page at a time. */
export async function listCallableAgents(
  { caller, database }: Context,
  { lastValue = "", limit }: { lastValue?: string | undefined; limit: number },
): Promise<{ agents: CallableAgent[] } & PageEnd> {
  const rows = await listStatement.execute(database.db, {
    workspaceId: caller.workspace.id,
    after: lastValue,
    count: limit + 1,
  });
  const { page, end } = takePage(rows, { limit }, ({ sId }) => sId);
  return { agents: page, ...end };
}

/** The workspace's active agent with this slug; undefined if there is none. */
export async function findCallableAgent(
  { caller, database }: Context,
  slug: string,
): Promise<CallableAgent | undefined> {
  const workspaceId = caller.workspace.id;
  const [found] = await findStatement.execute(database.db, { workspaceId, slug });
  return found;
}
