/**
 * The ledger: a row for each call of a model that was billed, or may have been, written in the statement that also
 * writes what the call gave. So neither exists without the other.
 */
import { type Queryable, statement, type UsageOrigin } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { columnName } from "../data-access/row-json.ts";

/** What a call was made for, and by whom. */
export interface UsagePlace {
  readonly workspaceId: number;
  readonly origin: UsageOrigin;
  /** The run that made it, its attempt, and the number of the call in the attempt. */
  readonly logId: string;
  readonly attempt: number;
  readonly call: number;
  /** The step of the answer, or the number of the call of a summary. */
  readonly step: number;
  readonly conversationId: number;
  readonly spaceId: number | null;
  readonly apiKeyId: number | null;
  readonly userId: number | null;
  readonly agentId: string;
  readonly providerId: string;
  readonly modelId: string;
  readonly currency: string;
  /** What the answer used, for filters. */
  readonly skills?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A call that has ended, as the ledger has it. */
export interface BilledCall extends UsagePlace {
  /** In milliseconds. */
  readonly at: number;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** In nano-units; null if the model had no price. */
  readonly amount: bigint | null;
  /** Whether the service never said what it counted: the amount is then the greatest possible one. */
  readonly isEstimated: boolean;
  /** What it was reserved under, if a budget applies. */
  readonly reservationId: string | null;
  /** Whether it was never sent: its reservation ends, and the ledger has nothing of it. */
  readonly isUnsent?: boolean | undefined;
}

/** The columns of an entry with their types, as a statement reads them from JSON. */
const columns = {
  workspaceId: "bigint",
  at: "bigint",
  origin: "text",
  logId: "text",
  attempt: "int",
  call: "int",
  step: "int",
  conversationId: "bigint",
  spaceId: "bigint",
  apiKeyId: "bigint",
  userId: "bigint",
  agentId: "text",
  providerId: "text",
  modelId: "text",
  inputTokens: "bigint",
  outputTokens: "bigint",
  cachedInputTokens: "bigint",
  cacheWriteTokens: "bigint",
  reasoningTokens: "bigint",
  amount: "bigint",
  currency: "text",
  isEstimated: "bool",
  skills: "jsonb",
  tools: "jsonb",
  sources: "jsonb",
  tags: "jsonb",
} as const;

const names = Object.keys(columns).map(columnName);
const typed = Object.entries(columns).map(([key, type]) => `${columnName(key)} ${type}`);
const columnList = sql.raw(names.join(", "));

/** Columns of an entry in JSON: its reservation has it until it ends. */
export const entryColumns = sql.raw(typed.join(", "));

/** Part of a statement: inserts entries of the relation `entry`; one that is there stays. */
export const insertEntries = (entry: SQL): SQL => sql`
  insert into usage_entries (${columnList}) select ${columnList} from ${entry} on conflict do nothing`;

/**
 * Parts of a statement that write the calls of the parameter `usage` of those runs whose ids `written` gives, and settle
 * their reservations. A reservation that was settled already, as if its call was lost, stays so.
 */
export const usageParts = (written: SQL): SQL => sql`
  billed as (
    select u.* from json_to_recordset(${sql.placeholder("usage")}::json)
      as u(${entryColumns}, reservation_id text, is_unsent bool)
    where u.log_id in (${written})
  ),
  ended_reservation as (
    delete from usage_reservations r using billed where r.id = billed.reservation_id returning r.id
  ),
  settled_hold as (
    update budget_holds h set settled = case when billed.is_unsent then 0 else coalesce(billed.amount, 0) end
    from billed join ended_reservation on ended_reservation.id = billed.reservation_id
    where h.reservation_id = billed.reservation_id and h.settled is null
  ),
  entry as (
    ${insertEntries(sql`billed
      where billed.is_unsent is not true
        and (billed.reservation_id is null or billed.reservation_id in (select id from ended_reservation))`)}
  )`;

/** The parameter `usage`; text of an empty list for none. */
export function toUsage(calls: readonly BilledCall[]): string {
  return JSON.stringify(calls.map(toJson));
}

function toJson(call: BilledCall): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(call)) {
    if (value !== null && value !== undefined) {
      row[columnName(key)] = typeof value === "bigint" ? String(value) : (value as unknown);
    }
  }
  return row;
}

/** A call that is about to be sent, as the ledger has it if it is never heard of again. */
export function toLostEntry(place: UsagePlace, at: number): Record<string, unknown> {
  const unknown = { inputTokens: null, outputTokens: null, amount: null, reservationId: null };
  const { amount: _known, ...entry } = toJson({ ...place, ...unknown, at, isEstimated: true });
  return entry;
}

const writeStatement = statement<{ usage: string }>(
  "write_usage",
  sql`with ${usageParts(sql`select log_id from json_to_recordset(${sql.placeholder("usage")}::json) as g(log_id text)`)}
  select 1`,
);

/** Writes calls by themselves: those whose result nothing keeps. */
export async function writeUsage(db: Queryable, calls: readonly BilledCall[]): Promise<void> {
  if (calls.length > 0) await writeStatement.execute(db, { usage: toUsage(calls) });
}
