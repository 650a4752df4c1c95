/**
 * A turn whose step called functions is parked until they have ended. Who ends a call locks the
 * turn's run before it looks whether another one is still open, and so does who parks the turn: one
 * of them sees what the other has done, so that no turn is left asleep.
 */
import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Hint } from "../events/bus.ts";
import type { ClaimedRun } from "./claim-runs.ts";

const logIds = sql`(select value from json_array_elements_text(${sql.placeholder("logIds")}::json))`;

const lockStatement = statement<{ logIds: string }, { logId: string }>(
  "lock_parked_turns",
  sql`select log_id as "logId" from runs where log_id in ${logIds} order by log_id for update`,
);

// Another statement than the one that locks: it sees what was committed while that waited.
const wakeStatement = statement<{ logIds: string }, { logId: string }>(
  "wake_turns",
  sql`
  update runs set status = 'waiting', run_after = now()
  where log_id in ${logIds} and status = 'parked' and not exists (
    select 1 from actions a
    where a.message_id = runs.subject_id and (
      a.status = 'blocked_validation_required' or a.status = 'running' and exists (
        select 1 from invocations i where i.action_id = a.id and i.status = 'created'
      )
    )
  )
  returning log_id as "logId"`,
);

/** Lets those of the parked turns be claimed whose calls have all ended. */
export async function wakeTurns(
  db: Queryable,
  turnLogIds: readonly string[],
  hints: Hint[],
): Promise<void> {
  if (turnLogIds.length === 0) return;
  const values = { logIds: JSON.stringify(turnLogIds) };
  await lockStatement.execute(db, values);
  await wakeStatement.execute(db, values);
  // Also where none was woken: a claim passes over what is locked here.
  hints.push({ topic: "runs", cause: "added" });
}

const turnsStatement = statement<{ logIds: string }, { logId: string }>(
  "turns_of_invocations",
  sql`
  select distinct a.log_id as "logId" from invocations i join actions a on a.id = i.action_id
  where i.sid in ${logIds} and a.log_id is not null`,
);

/** The same, of the turns that have made these invocations, given by their ids. */
export async function wakeTurnsOf(
  db: Queryable,
  invocationIds: Iterable<string>,
  hints: Hint[],
): Promise<void> {
  const values = { logIds: JSON.stringify([...invocationIds]) };
  const turns = await turnsStatement.execute(db, values);
  await wakeTurns(
    db,
    turns.map(({ logId }) => logId),
    hints,
  );
}

// The attempt has done what it was for: it does not count, and may append nothing more, so that what
// it still holds is not written twice.
const parkStatement = statement<{ logId: string; attempt: number; delayMs: number }>(
  "park_turn",
  sql`
  with left_log as (
    update logs set fence = fence + 1 where id = ${sql.placeholder("logId")}
  )
  update runs set
    status = 'parked',
    lease_until = null,
    max_attempts = max_attempts + 1,
    run_after = now() + ${sql.placeholder("delayMs")}::bigint * interval '1 millisecond'
  where log_id = ${sql.placeholder("logId")} and status = 'running'
    and attempt = ${sql.placeholder("attempt")}`,
);

/**
 * Parks a claimed turn for `delayMs` at the longest, in the transaction that holds its log; wakes it
 * at once where none of its calls is open.
 */
export async function parkTurn(
  db: Queryable,
  { run, delayMs }: { run: ClaimedRun; delayMs: number },
  hints: Hint[],
): Promise<void> {
  const { logId, attempt } = run;
  await parkStatement.execute(db, { logId, attempt, delayMs: Math.max(0, Math.round(delayMs)) });
  await wakeTurns(db, [logId], hints);
}

/** Lets a parked turn wait for `delayMs` at the longest, where it would wait longer. */
export async function hastenTurn(db: Queryable, logId: string, delayMs: number): Promise<void> {
  await hastenStatement.execute(db, { logId, delayMs });
}

const hastenStatement = statement<{ logId: string; delayMs: number }>(
  "hasten_turn",
  sql`
  update runs set run_after =
    least(run_after, now() + ${sql.placeholder("delayMs")}::bigint * interval '1 millisecond')
  where log_id = ${sql.placeholder("logId")} and status = 'parked'`,
);
