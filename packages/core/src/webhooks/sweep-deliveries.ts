import { type Queryable, statement } from "@parley/db";
import { MAX_ENDED_DELIVERIES, MAX_WAITING_DELIVERIES } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { disableWebhook } from "./settle-delivery.ts";

const SWEPT_AT_ONCE = 1000;

// Of each webhook the newest stay, so that what it keeps does not grow with what happens.
const sweepStatement = statement<{ before: number; kept: number }, { id: number }>(
  "sweep_deliveries",
  sql`
  with old as (
    (select id from webhook_deliveries where finished_at < ${sql.placeholder("before")}::bigint
      limit ${sql.raw(String(SWEPT_AT_ONCE))})
    union
    (select d.id from webhooks w
      cross join lateral (
        select e.id from webhook_deliveries e where e.webhook_id = w.id and e.finished_at is not null
        order by e.id desc offset ${sql.placeholder("kept")}::int limit 1
      ) newest
      join webhook_deliveries d
        on d.webhook_id = w.id and d.id <= newest.id and d.finished_at is not null
      limit ${sql.raw(String(SWEPT_AT_ONCE))})
  ),
  free as (
    select d.id from webhook_deliveries d join old on old.id = d.id for update of d skip locked
  )
  delete from webhook_deliveries d using free where d.id = free.id returning d.id`,
);

/**
 * Deletes deliveries that ended before their retention, and of each webhook all but the newest `kept`; switches off webhooks
 * to which too many wait. Gives how many deliveries it has deleted, of a bounded number.
 */
export async function sweepDeliveries(
  core: Process,
  { retentionMs, kept = MAX_ENDED_DELIVERIES }: { retentionMs: number; kept?: number },
): Promise<number> {
  const { db } = core.database;
  for (const webhook of await findOverfull(db)) {
    // oxlint-disable-next-line no-await-in-loop -- each in a transaction of its own
    await inTransaction(core, (transaction) =>
      disableWebhook(core, transaction, { webhook, disabledFor: "overflow" }),
    );
  }
  const before = core.now() - retentionMs;
  return (await sweepStatement.execute(db, { before, kept })).length;
}

interface Overfull {
  readonly id: number;
  readonly sid: string;
  readonly workspaceId: number;
}

const overfullStatement = statement<Record<string, never>, Overfull>(
  "find_overfull_webhooks",
  sql`
  select w.id, w.sid, w.workspace_id as "workspaceId" from webhooks w
  where w.disabled_for is null and (
    select count(*) from (
      select from webhook_deliveries d where d.webhook_id = w.id and d.status = 'waiting'
      limit ${sql.raw(String(MAX_WAITING_DELIVERIES + 1))}
    ) waiting
  ) > ${sql.raw(String(MAX_WAITING_DELIVERIES))}`,
);

/** Webhooks to which more deliveries wait than may. */
const findOverfull = (db: Queryable): Promise<Overfull[]> => overfullStatement.execute(db, {});
