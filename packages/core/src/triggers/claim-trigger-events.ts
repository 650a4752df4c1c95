import { type Queryable, triggerEvents, triggers } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { fairTakeOver } from "../runs/claim-fairly.ts";
import {
  type Claimed,
  type ClaimedRun,
  type ClaimFrom,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";
import { claimFromQueues } from "../runs/claim-queues.ts";
import type { TriggerRow } from "./trigger-rows.ts";

/** Events of one trigger that a worker works on at once: one that maps slowly leaves places for others. */
const PER_TRIGGER = 4;

/** What a run that an event of a trigger leads to starts from: the rest is read when it begins, since it may be large. */
export interface ClaimedTriggerEvent {
  readonly triggerId: number;
}

const subject = sql`
  select json_build_object('triggerId', e.trigger_id) from trigger_events e
  where e.id = claimed.subject_id and e.status = 'waiting'`;

/** What the worker holds, as JSON `[{workspace_id, queue_id, running}]`. */
interface Values extends ClaimFrom {
  readonly held: string;
}

const claimStatement = claimFromQueues<Values, ClaimedTriggerEvent>("claim_trigger_events", {
  kind: "trigger_event",
  queue: sql`runs.trigger_id`,
  running: sql`
    select * from json_to_recordset(${sql.placeholder("held")}::json)
      as h(workspace_id bigint, queue_id bigint, running int)`,
  most: { value: sql.raw(String(PER_TRIGGER)), from: sql`` },
  subject,
});
const takeOverStatement = fairTakeOver<ClaimedTriggerEvent>("take_over_trigger_events", {
  kind: "trigger_event",
  subject,
});

/** Claims waiting events of triggers: of each trigger and workspace as many as the worker does not hold already. */
export async function claimTriggerEvents(
  core: Pick<Process, "database">,
  { held, ...options }: ClaimFrom & { readonly held: Iterable<ClaimedRun> },
): Promise<Claimed<ClaimedTriggerEvent>> {
  const counts = new Map<string, { workspace_id: number; queue_id: number; running: number }>();
  for (const { workspaceId, subject: claimed } of held) {
    // A claim of these events gave it, or it is deleted.
    const queueId = (claimed as ClaimedTriggerEvent | null)?.triggerId ?? 0;
    const count = counts.getOrInsertComputed(`${workspaceId}/${queueId}`, () => {
      return { workspace_id: workspaceId, queue_id: queueId, running: 0 };
    });
    count.running++;
  }
  const values = { ...options, held: JSON.stringify([...counts.values()]) };
  return toClaimed(await claimStatement.execute(core.database.db, values));
}

/** Takes over events whose worker has not renewed its lease: what they start is started once, by its key. */
export async function takeOverTriggerEvents(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<ClaimedTriggerEvent>[]> {
  if (options.limit <= 0) return [];
  return takeOverStatement.execute(database.db, options);
}

type EventRow = typeof triggerEvents.$inferSelect;

/** What is made of an event, as it is stored. */
export type TriggerMappingRow = NonNullable<TriggerRow["mapping"]>;

/** An event to work on, with its trigger. */
export interface LoadedTriggerEvent {
  readonly event: EventRow;
  readonly trigger: TriggerRow;
}

/** Reads a claimed event; undefined once it, or its trigger, is deleted or it waits no more. */
export async function loadTriggerEvent(
  db: Queryable,
  eventId: number,
): Promise<LoadedTriggerEvent | undefined> {
  const [found] = await db
    .select({ event: triggerEvents, trigger: triggers })
    .from(triggerEvents)
    .innerJoin(triggers, eq(triggers.id, triggerEvents.triggerId))
    .where(and(eq(triggerEvents.id, eventId), eq(triggerEvents.status, "waiting")));
  return found;
}
