import { apiKeys, type Queryable, triggerEvents, triggers } from "@parley/db";
import { onceByOf, ParleyError, type Trigger, type TriggerMapping } from "@parley/schema";
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Caller, RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { managesLaunch } from "../launches/managed-launches.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

export type TriggerRow = typeof triggers.$inferSelect;

/** Where the events of a trigger are sent; a secret in the URL follows it. */
export function triggerUrl(
  { publicUrl }: Pick<RequestContext, "publicUrl">,
  workspace: Pick<WorkspaceRow, "sid">,
  { sid, source }: Pick<TriggerRow, "sid" | "source">,
): string {
  const form = source.type === "url" ? "hooks" : "signed";
  return `${publicUrl}/api/v1/w/${workspace.sid}/triggers/${form}/${sid}`;
}

function renderMapping(mapping: TriggerRow["mapping"]): TriggerMapping | null {
  if (mapping?.type !== "javascript") return mapping;
  const { type, source } = mapping;
  return { type, source };
}

/** What the events of a trigger are known by; null if nothing names them. */
function onceBy({ source, keyExpression }: TriggerRow): string | null {
  const sent = onceByOf[source.type];
  if (keyExpression === null) return sent;
  return sent === null ? "its key expression" : `${sent}, else its key expression`;
}

/** A trigger with what is shown of its key and its events. */
export interface ShownTrigger extends TriggerRow {
  readonly keySid: string | null;
  /** When its last event was received. */
  readonly lastEventAt: number | null;
}

/** A trigger as those who may change it see it: without its secrets. */
export function renderTrigger(
  context: Pick<RequestContext, "publicUrl">,
  workspace: Pick<WorkspaceRow, "sid">,
  { lastEventAt, keySid, ...row }: ShownTrigger,
): Trigger {
  const { sid: sId, name, description, source, target, keyExpression } = row;
  const { eventsPerMinute, maxBytes, disabledFor, disabledAt, failingSince } = row;
  const { previousSecretUntil, version, createdAt, updatedAt } = row;
  return {
    sId,
    name,
    description,
    source,
    url: triggerUrl(context, workspace, row),
    agent: target.agent ?? null,
    function: target.function ?? null,
    mapping: renderMapping(row.mapping),
    keyExpression,
    onceBy: onceBy(row),
    eventsPerMinute,
    maxBytes,
    keyId: keySid,
    disabledFor,
    disabledAt,
    lastEventAt,
    failingSince,
    previousSecretUntil,
    version,
    createdAt,
    updatedAt,
  };
}

const shownColumns = {
  ...getTableColumns(triggers),
  keySid: sql<string | null>`(select k.sid from ${apiKeys} k where k.id = ${triggers}.api_key_id)`,
  lastEventAt: sql<number | null>`(
    select e.created_at::float8 from ${triggerEvents} e
    where e.trigger_id = ${triggers}.id and not e.is_sample order by e.id desc limit 1)`,
};

/** Reads triggers with what is shown of them. */
export const selectShown = (db: Queryable) => db.select(shownColumns).from(triggers);

/** The condition that the caller may change a trigger. */
export const isEditable = (caller: Caller): SQL | undefined =>
  managesLaunch(caller, { workspaceId: triggers.workspaceId, launch: triggers.target });

interface Found {
  readonly row: ShownTrigger;
  readonly workspace: WorkspaceRow;
}

/** A trigger that a request names and its caller may change, with its workspace. Throws `trigger_not_found`. */
export async function requireTrigger(
  context: RequestContext,
  db: Queryable,
  { wId, triggerId }: { wId: string; triggerId: string },
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<Found> {
  const workspace = await administeredWorkspace(context, db, wId);
  const query = selectShown(db).where(
    and(
      eq(triggers.workspaceId, workspace.id),
      eq(triggers.sid, triggerId),
      isEditable(context.caller),
    ),
  );
  const [row] = await (isLocked ? query.for("no key update", { of: triggers }) : query);
  if (row !== undefined) return { row, workspace };
  throw noSuchTrigger("triggerId");
}

/** The error for a trigger that the workspace does not have, or that the caller may not change. */
export function noSuchTrigger(member: "triggerId" | "tId"): ParleyError {
  return new ParleyError("trigger_not_found", `${member}: the workspace has no such trigger`);
}
