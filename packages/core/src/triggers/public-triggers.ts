import { type Queryable, triggers } from "@parley/db";
import type { ListPublicTriggers, PublicTrigger } from "@parley/schema";
import { and, asc, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Context } from "../context.ts";
import { agentOfTarget, noSuchTrigger, type TriggerRow } from "./trigger-rows.ts";

const providers: Readonly<Record<TriggerRow["source"]["type"], string | null>> = {
  url: null,
  standard_webhooks: null,
  github: "github",
  stripe: "stripe",
  slack: "slack",
  hmac: null,
};

function render(row: TriggerRow & { readonly agentId: string }): PublicTrigger {
  const { id, sid: sId, name, description, agentId, mapping, disabledFor, createdAt } = row;
  const customPrompt = mapping?.type === "jsonata" ? (mapping.message ?? null) : null;
  return {
    id,
    sId,
    name,
    agentConfigurationId: agentId,
    customPrompt,
    status: disabledFor === null ? "enabled" : "disabled",
    createdAt,
    naturalLanguageDescription: description === "" ? null : description,
    executionMode: "programmatic",
    kind: "webhook",
    configuration: { includePayload: mapping === null },
    webhookSource: { name, provider: providers[row.source.type] },
  };
}

async function select(
  { caller }: Context,
  db: Queryable,
  where: SQL | undefined,
  { limit, offset }: Pick<ListPublicTriggers, "limit" | "offset">,
): Promise<PublicTrigger[]> {
  const rows = await db
    .select({ row: triggers, agentId: agentOfTarget })
    .from(triggers)
    .where(and(eq(triggers.workspaceId, caller.workspace.id), isNotNull(agentOfTarget), where))
    .orderBy(asc(triggers.id))
    .limit(limit)
    .offset(offset);
  return rows.map(({ row, agentId: agent }) => render({ ...row, agentId: agent ?? "" }));
}

/** Lists what starts agents, the oldest first: those that are enabled, unless the input asks for the others. */
export async function listPublicTriggers(
  context: Context,
  { kind, status, agent, ...page }: ListPublicTriggers,
): Promise<{ triggers: PublicTrigger[] }> {
  if (kind === "schedule") return { triggers: [] };
  const { disabledFor } = triggers;
  const where = and(
    status === "enabled" ? isNull(disabledFor) : isNotNull(disabledFor),
    agent === undefined ? undefined : eq(agentOfTarget, agent),
  );
  return { triggers: await select(context, context.database.db, where, page) };
}

/** Reads what starts an agent. Throws `trigger_not_found`. */
export async function getPublicTrigger(
  context: Context,
  { tId }: { readonly tId: string },
): Promise<{ trigger: PublicTrigger }> {
  const page = { limit: 1, offset: 0 };
  const [trigger] = await select(context, context.database.db, eq(triggers.sid, tId), page);
  if (trigger === undefined) throw noSuchTrigger("tId");
  return { trigger };
}
