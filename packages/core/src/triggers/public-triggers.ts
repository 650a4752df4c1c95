import { schedules, statement, triggers } from "@parley/db";
import { type ListPublicTriggers, type PublicTrigger, toListedTimezone } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { noSuchTrigger, type TriggerRow } from "./trigger-rows.ts";

const providers: Readonly<Record<TriggerRow["source"]["type"], string | null>> = {
  url: null,
  standard_webhooks: null,
  github: "github",
  stripe: "stripe",
  slack: "slack",
  hmac: null,
};

interface Started {
  readonly kind: PublicTrigger["kind"];
  readonly id: number;
  readonly sid: string;
  readonly name: string;
  readonly description: string;
  readonly agentId: string;
  readonly isEnabled: boolean;
  readonly createdAt: number;
  readonly prompt: string | null;
  /** Of a webhook. */
  readonly source: TriggerRow["source"]["type"] | null;
  readonly isMapped: boolean;
  /** Of a schedule. */
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timezone: string | null;
}

// What starts functions is not among them: clients take each to have an agent.
const started = sql`(
  select 'webhook' as kind, t.id::float8 as id, t.workspace_id, t.sid, t.name, t.description,
    t.target #>> '{agent,agentId}' as "agentId", t.disabled_for is null as "isEnabled",
    t.created_at::float8 as "createdAt", t.mapping ->> 'message' as prompt, t.source ->> 'type' as source,
    t.mapping is not null as "isMapped", null as cron, null::int as "everySeconds", null as timezone
  from ${triggers} t
  union all
  select 'schedule', s.id::float8, s.workspace_id, s.sid, s.name, s.description, s.launch #>> '{agent,agentId}',
    s.paused_for is null, s.created_at::float8, s.launch #>> '{agent,message}', null, false, s.cron, s.every_seconds,
    s.timezone
  from ${schedules} s
) started`;

function render(one: Started): PublicTrigger {
  const { id, sid: sId, name, description, agentId, isEnabled, createdAt, kind } = one;
  const shared = {
    id,
    sId,
    name,
    agentConfigurationId: agentId,
    customPrompt: one.prompt,
    status: isEnabled ? ("enabled" as const) : ("disabled" as const),
    createdAt,
    naturalLanguageDescription: description === "" ? null : description,
    executionMode: "programmatic" as const,
    kind,
  };
  if (one.source !== null) {
    const webhookSource = { name, provider: providers[one.source] };
    return { ...shared, configuration: { includePayload: !one.isMapped }, webhookSource };
  }
  const cron = one.cron ?? `@every ${one.everySeconds}s`;
  return { ...shared, configuration: { cron, timezone: toListedTimezone(one.timezone ?? "UTC") } };
}

interface Wanted {
  readonly sid?: string;
  readonly isEnabled?: boolean;
  readonly kind?: string | undefined;
  readonly agent?: string | undefined;
}

const is = (column: string, name: keyof Wanted, type: "bool" | "text") => {
  const value = sql`${sql.placeholder(name)}::${sql.raw(type)}`;
  return sql`(${value} is null or ${sql.raw(column)} = ${value})`;
};

const listStatement = statement<
  Record<keyof Wanted, unknown> & { workspaceId: number; limit: number; offset: number },
  Started
>(
  "list_public_triggers",
  sql`
  select * from ${started}
  where workspace_id = ${sql.placeholder("workspaceId")}::bigint and "agentId" is not null
    and ${is("sid", "sid", "text")} and ${is('"isEnabled"', "isEnabled", "bool")}
    and ${is("kind", "kind", "text")} and ${is('"agentId"', "agent", "text")}
  order by "createdAt", kind, id
  limit ${sql.placeholder("limit")}::int offset ${sql.placeholder("offset")}::int`,
);

async function select(
  { caller, database }: Context,
  { sid, isEnabled, kind, agent }: Wanted,
  page: Pick<ListPublicTriggers, "limit" | "offset">,
): Promise<PublicTrigger[]> {
  const values = {
    workspaceId: caller.workspace.id,
    sid: sid ?? null,
    isEnabled: isEnabled ?? null,
    kind: kind ?? null,
    agent: agent ?? null,
    ...page,
  };
  return (await listStatement.execute(database.db, values)).map(render);
}

/** Lists what starts agents, the oldest first: those that are enabled, unless the input asks for the others. */
export async function listPublicTriggers(
  context: Context,
  { kind, status, agent, limit, offset }: ListPublicTriggers,
): Promise<{ triggers: PublicTrigger[] }> {
  const wanted = { isEnabled: status === "enabled", kind, agent };
  return { triggers: await select(context, wanted, { limit, offset }) };
}

/** Reads what starts an agent. Throws `trigger_not_found`. */
export async function getPublicTrigger(
  context: Context,
  { tId }: { readonly tId: string },
): Promise<{ trigger: PublicTrigger }> {
  const [trigger] = await select(context, { sid: tId }, { limit: 1, offset: 0 });
  if (trigger === undefined) throw noSuchTrigger("tId");
  return { trigger };
}
