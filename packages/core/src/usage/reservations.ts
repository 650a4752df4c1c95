/**
 * What calls of models may cost is reserved in every budget that applies, before they are sent. Calls that begin while
 * others are being reserved share the next statement, so a busy budget's row is locked once for all of them.
 */
import { type BudgetScope, type Queryable, statement } from "@parley/db";
import type { ReachedBudget } from "@parley/schema";
import { sql } from "drizzle-orm";
import { createBatcher } from "../data-access/batcher.ts";
import type { Process } from "../context.ts";
import { entryColumns, insertEntries, toLostEntry, type UsagePlace } from "./usage-ledger.ts";

/** A call that is about to be sent. */
export interface CallToReserve {
  readonly id: string;
  readonly place: UsagePlace;
  /** Null for a call that belongs to no conversation. */
  readonly conversationSid: string | null;
  /** The fewest and the most nano-units that it may cost; null without a price. */
  readonly amounts: { readonly fewest: bigint; readonly most: bigint } | null;
}

/** Whether a call may be sent. */
export type Reserved =
  /** It may cost at most so much; `id` is null if no budget applies. */
  | {
      readonly outcome: "granted" | "none";
      readonly amount: bigint | null;
      readonly reached: readonly ReachedBudget[];
    }
  /** Other calls have reserved what is left. */
  | { readonly outcome: "busy"; readonly scope: BudgetScope; readonly endsAt: number | null }
  /** A budget is spent; or the model has no price, so that a hard budget could not hold. */
  | {
      readonly outcome: "exceeded" | "unpriced";
      readonly scope: BudgetScope;
      readonly endsAt: number | null;
    };

export interface ReservationServices {
  readonly reserveUsage: (call: CallToReserve) => Promise<Reserved>;
}

interface ReservedRow {
  readonly id: string;
  readonly outcome: Reserved["outcome"];
  readonly granted: string | number | null;
  readonly scope: BudgetScope;
  readonly endsAt: number | null;
  readonly reached: ReachedBudget[] | null;
}

const reserveStatement = statement<{ requests: string; now: number }, ReservedRow>(
  "reserve_usage",
  sql`
  select id, outcome, granted::text, scope, ends_at::float8 as "endsAt", reached
  from reserve_usage(${sql.placeholder("requests")}::json, ${sql.placeholder("now")}::bigint)`,
);

const MAX_TOGETHER = 64;

/** Creates the reservations of a process. */
export function createReservations(
  db: Queryable,
  now: () => number,
): ReservationServices["reserveUsage"] {
  return createBatcher(async (calls: readonly CallToReserve[]) => {
    const at = now();
    const requests = JSON.stringify(calls.map((call) => toRequest(call, at)));
    const rows = await reserveStatement.execute(db, { requests, now: at });
    const found = new Map(rows.map((row) => [row.id, row]));
    return ({ id }) => toReserved(found.get(id));
  }, MAX_TOGETHER);
}

function toRequest({ id, place, conversationSid, amounts }: CallToReserve, at: number) {
  const { workspaceId, logId, attempt, apiKeyId, userId, agentId } = place;
  return {
    id,
    workspace_id: workspaceId,
    log_id: logId,
    attempt,
    api_key_id: apiKeyId,
    user_id: userId,
    // No budget of an agent applies to a call without one.
    agent_id: agentId || null,
    conversation_sid: conversationSid,
    fewest: amounts && String(amounts.fewest),
    most: amounts && String(amounts.most),
    entry: toLostEntry(place, at),
  };
}

function toReserved(row: ReservedRow | undefined): Reserved {
  if (row === undefined) throw new Error("The statement has no row for the call");
  const { outcome, granted, scope, endsAt, reached } = row;
  if (outcome === "granted" || outcome === "none") {
    const amount = granted === null ? null : BigInt(granted);
    return { outcome, amount, reached: reached ?? [] };
  }
  return { outcome, scope, endsAt };
}

/** How long the attempt that made a call may take to settle it after it lost its run. */
const GRACE_MS = 30_000;
const MAX_LOST = 500;

// A run that is deleted has no row. A title and a search, which have no lease, end within minutes of their start.
const settleLostStatement = statement<{ before: number; titlesBefore: number }, { id: string }>(
  "settle_lost_usage",
  sql`
  with lost as (
    select r.id, r.amount, r.entry from usage_reservations r
    where r.created_at < ${sql.placeholder("before")}::bigint
      and case
        when r.entry ->> 'origin' in ('title', 'search') then r.created_at < ${sql.placeholder("titlesBefore")}::bigint
        else not exists (
          select from runs where runs.log_id = r.log_id and runs.status = 'running' and runs.attempt = r.attempt
        )
      end
    order by r.id limit ${sql.raw(String(MAX_LOST))} for update skip locked
  ),
  ended as (delete from usage_reservations r using lost where r.id = lost.id returning r.id),
  settled as (
    update budget_holds h set settled = lost.amount
    from lost where h.reservation_id = lost.id and h.settled is null
  ),
  entry as (
    ${insertEntries(sql`(
      select e.* from lost,
        jsonb_to_record(lost.entry || jsonb_build_object('amount', lost.amount)) as e(${entryColumns})
    ) lost_entry`)}
  )
  select id from ended`,
);

/** How long a title may take. */
const TITLE_MS = 5 * 60_000;

/**
 * Settles calls that nobody will settle, as their attempt has ended without them: each at all that it may have cost,
 * as an estimate. Gives how many.
 */
export async function settleLostUsage({
  database,
  now,
}: Pick<Process, "database" | "now">): Promise<number> {
  const before = now() - GRACE_MS;
  const rows = await settleLostStatement.execute(database.db, {
    before,
    titlesBefore: now() - TITLE_MS,
  });
  return rows.length;
}
