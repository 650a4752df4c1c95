import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Core } from "../context.ts";
import {
  claimedInvocation,
  claimedTurn,
  type ClaimedRun,
  claimParts,
  turnOfClaimed,
} from "./claimed-run.ts";

/** Invocations that one takeover looks at; they take no place of the worker's. */
const MAX_INVOCATIONS = 100;
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;

export interface ClaimOptions {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly limit: number;
}

type ClaimOptionValues = { workerId: string; leaseMs: number; limit: number };

const takeOverTurns = statement<ClaimOptionValues, ClaimedRun>(
  "take_over_turns",
  sql`
  with due as (
    select r.log_id, logs.closed_at from runs r join logs on logs.id = r.log_id
    where r.status = 'running' and r.kind = 'agent_turn' and r.lease_until < now()
    order by r.lease_until
    limit ${sql.placeholder("limit")}::int
    for update of r, logs skip locked
  ),
  ${claimParts}
  select ${claimedTurn} from claimed ${turnOfClaimed}
  where claimed.status = 'running'
  order by claimed.priority, claimed.id`,
);

// What may be run again is parked first, each a little longer or shorter than the others, so that
// what broke a worker does not break the next ones at once. Parking leaves the fence as it is: until
// another attempt begins, the one before may still end the invocation.
const takeOverInvocations = statement<ClaimOptionValues & { random: number }, ClaimedRun>(
  "take_over_invocations",
  sql`
  with expired as (
    select r.log_id, logs.closed_at, r.attempt < r.max_attempts as again,
      least(${sql.raw(String(MAX_BACKOFF_MS))}, ${sql.raw(String(FIRST_BACKOFF_MS))} * 2 ^ (r.attempt - 1))
        as backoff_ms
    from runs r join logs on logs.id = r.log_id
    where r.status = 'running' and r.kind = 'invocation' and r.lease_until < now()
    order by r.lease_until
    limit ${sql.placeholder("limit")}::int
    for update of r, logs skip locked
  ),
  parked as (
    update runs set status = 'parked', worker_id = null, lease_until = null,
      run_after = now() + interval '1 millisecond' * spread.backoff_ms * (
        0.5 + 0.5 * mod((${sql.placeholder("random")}::float + spread.place * 0.618)::numeric, 1)::float
      )
    from (
      select log_id, backoff_ms, row_number() over () as place from expired
      where again and closed_at is null
    ) spread
    where runs.log_id = spread.log_id
  ),
  due as (select log_id, closed_at from expired where not again or closed_at is not null),
  ${claimParts}
  select ${claimedInvocation} from claimed
  where claimed.status = 'running'
  order by claimed.priority, claimed.id`,
);

/**
 * Takes over runs whose worker has not renewed its lease: the turns, as many as `limit` says, and the
 * invocations that have had all their attempts, to be ended. Other invocations are parked: their next
 * attempt begins after a second, and later after each, up to half a minute.
 */
export async function takeOverRuns(core: Core, options: ClaimOptions): Promise<ClaimedRun[]> {
  const { db } = core.database;
  const random = core.random();
  const values = { ...options, limit: MAX_INVOCATIONS, random };
  const invocations = await takeOverInvocations.execute(db, values);
  if (options.limit <= 0) return invocations;
  return [...(await takeOverTurns.execute(db, { ...options })), ...invocations];
}
