/**
 * A turn whose step called functions is suspended until they have ended. Ending a call locks the turn's
 * run before it checks for other open calls, and so does suspending the turn: one of the two sees what
 * the other has done, so that no turn stays suspended.
 */
import { hasRow, type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { jsonValues } from "../data-access/row-json.ts";
import type { Hint } from "../log/bus.ts";
import { endedAttempt } from "./attempt-history.ts";
import type { ClaimedRun } from "./claim-parts.ts";

const logIds = jsonValues(sql.placeholder("logIds"));

const lockStatement = statement<{ logIds: string }, { logId: string }>(
  "lock_suspended_turns",
  sql`select log_id as "logId" from runs where log_id in ${logIds} order by log_id for update`,
);

// Another statement than the one that locks: it sees what was committed while that waited.
const wakeStatement = statement<{ logIds: string }, { logId: string }>(
  "wake_turns",
  sql`
  update runs set status = 'waiting', run_after = now()
  where log_id in ${logIds} and status = 'suspended' and not exists (
    select 1 from actions a
    where a.message_id = runs.subject_id and (
      starts_with(a.status, 'blocked_') or a.status = 'running' and ${hasRow(
        sql`from invocations i where i.action_id = a.id and i.status = 'created'`,
      )}
      or a.status = 'running' and ${hasRow(
        sql`from conversations c join messages m on m.conversation_id = c.id
          where c.parent_action_id = a.id and m.status = 'created'`,
      )}
    )
  )
  returning log_id as "logId"`,
);

/** Makes those suspended turns claimable whose calls have all ended. */
export async function wakeTurns(
  db: Queryable,
  turnLogIds: readonly string[],
  hints: Hint[],
): Promise<void> {
  if (turnLogIds.length === 0) return;
  const values = { logIds: JSON.stringify(turnLogIds) };
  await lockStatement.execute(db, values);
  await wakeStatement.execute(db, values);
  // Even if none was woken: a claim skips what is locked here.
  hints.push({ topic: "runs", cause: "added" });
}

const turnsStatement = statement<{ logIds: string }, { logId: string }>(
  "turns_of_invocations",
  sql`
  select distinct a.log_id as "logId" from invocations i join actions a on a.id = i.action_id
  where i.sid in ${logIds} and a.log_id is not null`,
);

/** The same for the turns that called these invocations. */
export async function wakeTurnsOf(
  db: Queryable,
  invocationIds: Iterable<string>,
  hints: Hint[],
): Promise<void> {
  const values = { logIds: JSON.stringify([...invocationIds]) };
  const turns = await turnsStatement.execute(db, values);
  const turnLogIds = turns.map(({ logId }) => logId);
  await wakeTurns(db, turnLogIds, hints);
}

// The attempt has done its part: it does not count, and may append nothing more, so that what it still
// holds is not written twice.
const suspendStatement = statement<{ logId: string; attempt: number; delayMs: number }>(
  "suspend_turn",
  sql`
  with left_log as (
    update logs set fence = fence + 1 where id = ${sql.placeholder("logId")}
  )
  update runs set
    status = 'suspended',
    attempts = ${endedAttempt("suspended")},
    lease_until = null,
    max_attempts = max_attempts + 1,
    run_after = now() + ${sql.placeholder("delayMs")}::bigint * interval '1 millisecond'
  where log_id = ${sql.placeholder("logId")} and status = 'running'
    and attempt = ${sql.placeholder("attempt")}`,
);

/**
 * Suspends a claimed turn for at most `delayMs`, in the transaction that has locked its log; wakes it at
 * once if none of its calls is open.
 */
export async function suspendTurn(
  db: Queryable,
  { run, delayMs }: { run: ClaimedRun; delayMs: number },
  hints: Hint[],
): Promise<void> {
  const { logId, attempt } = run;
  await suspendStatement.execute(db, { logId, attempt, delayMs: Math.max(0, Math.round(delayMs)) });
  await wakeTurns(db, [logId], hints);
}

/** Shortens the wait of a suspended turn to at most `delayMs`. */
export async function hastenTurn(db: Queryable, logId: string, delayMs: number): Promise<void> {
  await hastenStatement.execute(db, { logId, delayMs });
}

const hastenStatement = statement<{ logId: string; delayMs: number }>(
  "hasten_turn",
  sql`
  update runs set run_after =
    least(run_after, now() + ${sql.placeholder("delayMs")}::bigint * interval '1 millisecond')
  where log_id = ${sql.placeholder("logId")} and status = 'suspended'`,
);

const resumeStatement = statement<{ logIds: string }>(
  "resume_turns",
  sql`
  update runs set status = 'waiting', run_after = now()
  where log_id in ${logIds} and status = 'suspended'`,
);

/** Makes suspended turns claimable although some of their calls are open: their worker looks again. */
export async function resumeTurns(
  db: Queryable,
  turnLogIds: readonly string[],
  hints: Hint[],
): Promise<void> {
  if (turnLogIds.length === 0) return;
  const values = { logIds: JSON.stringify(turnLogIds) };
  await lockStatement.execute(db, values);
  await resumeStatement.execute(db, values);
  hints.push({ topic: "runs", cause: "added" });
}
