import type pg from "pg";
import { expect } from "vitest";
import type { Ledger, Received } from "./ledger.ts";
import { printedSteps } from "./subjects.ts";

const MESSAGE_ENDS = `('agent_message_success', 'agent_error', 'agent_generation_cancelled')`;
const INVOCATION_ENDS = `('sandbox_function_invocation_result', 'sandbox_function_invocation_error')`;

const endsOnce = (table: string, ends: string) => `
  select subject.sid from ${table} subject join logs on logs.id = subject.sid
  where logs.closed_at is null
    or (select count(*) from events e where e.log_id = subject.sid and e.type in ${ends}) <> 1
    or (select e.type from events e where e.log_id = subject.sid and e.seq = logs.last_seq)
      not in ${ends}`;

/** What must be true of the stored state at any time, each with the query for what contradicts it. */
const rules: Readonly<Record<string, string>> = {
  "an Idempotency-Key made two conversations": `
    select title from conversations group by title having count(*) > 1`,
  "a log has gaps, or not as many events as it says": `
    select logs.id from logs left join events on events.log_id = logs.id
    group by logs.id, logs.last_seq
    having count(events.seq) <> logs.last_seq
      or coalesce(max(events.seq), 0) <> logs.last_seq or coalesce(min(events.seq), 1) <> 1`,
  "an agent's message has not exactly one terminal event, its last": endsOnce(
    "(select sid from messages where type = 'agent_message')",
    MESSAGE_ENDS,
  ),
  "an invocation has not exactly one terminal event, its last": endsOnce(
    "invocations",
    INVOCATION_ENDS,
  ),
  "a message that is open, or says other than its events": `
    select m.sid from messages m where m.type = 'agent_message' and (
      m.status = 'created' or m.content <> (
        select coalesce(string_agg(e.payload::json ->> 'text', '' order by e.seq), '')
        from events e where e.log_id = m.sid and e.type = 'generation_tokens'
          and e.payload::json ->> 'classification' = 'tokens'))`,
  "an answer whose end its conversation did not announce once": `
    select m.sid from messages m join conversations c on c.id = m.conversation_id
    where m.type = 'agent_message' and (
      select count(*) from events e where e.log_id = c.sid and e.type = 'agent_message_done'
        and e.payload::json ->> 'messageId' = m.sid) <> 1`,
  "an invocation that is open": `select sid from invocations where status = 'created'`,
  "a run that is not finished": `select log_id from runs where status <> 'finished'`,
};

/**
 * Expects that what was acknowledged is there, that all logs are whole, that answers and results are
 * what they have to be, word for word, and that followers saw them so. Says how many succeeded.
 */
export async function expectSoundness(
  pool: pg.Pool,
  ledger: Ledger,
): Promise<{ readonly succeeded: number; readonly otherwise: Readonly<Record<string, number>> }> {
  expect([...ledger.failed].slice(0, 5)).toEqual([]);
  for (const [rule, query] of Object.entries(rules)) {
    const { rows } = await pool.query<Record<string, string>>(`${query} limit 5`);
    expect({ rule, found: rows }).toEqual({ rule, found: [] });
  }
  const work = [...ledger.acknowledged.values()];
  const ended = await readEnds(pool);
  const torn: { logId: string; expected: string; got: string }[] = [];
  const otherwise: Record<string, number> = {};
  let succeeded = 0;
  for (const { kind, logId, expected } of work) {
    const end = ended.get(logId);
    const got = end?.text ?? "nothing";
    if (end?.status === "succeeded") {
      succeeded++;
      const isWhole = got === expected && (kind === "answer" || isPrinted(end.printed, "whole"));
      if (!isWhole) torn.push({ logId, expected, got: `${got} ${end.printed.join()}` });
    } else {
      // What ended early has said the beginning of it, and nothing else.
      const isBeginning =
        end !== undefined &&
        (kind === "answer" ? expected.startsWith(got) : isPrinted(end.printed, "begun"));
      if (!isBeginning) torn.push({ logId, expected, got });
      const why = end?.error ?? "nothing";
      otherwise[why] = (otherwise[why] ?? 0) + 1;
    }
  }
  expect(torn.slice(0, 5)).toEqual([]);
  await expectFollowed(pool, ledger);
  return { succeeded, otherwise };
}

/**
 * Whether these are the lines of a function in their order, of its last run all of them if that is
 * `whole`: a function that may be run again prints again from the beginning.
 */
function isPrinted(lines: readonly string[], last: "whole" | "begun"): boolean {
  let due = 0;
  for (const line of lines) {
    if (line === printedSteps[0]) due = 0;
    if (line !== printedSteps[due++]) return false;
  }
  return last === "begun" || due === printedSteps.length;
}

/** How a message or an invocation ended. */
interface End {
  readonly logId: string;
  readonly status: string;
  /** The answer, or the JSON of the result. */
  readonly text: string;
  /** The lines that an invocation has logged. */
  readonly printed: readonly string[];
  /** The code of what went wrong. */
  readonly error: string | null;
}

async function readEnds(pool: pg.Pool): Promise<ReadonlyMap<string, End>> {
  const { rows } = await pool.query<End>(`
    select sid as "logId", status, content as text, '{}'::text[] as printed,
      (select e.payload::json -> 'error' ->> 'code' from events e
       where e.log_id = messages.sid and e.type = 'agent_error') as error
    from messages where type = 'agent_message'
    union all
    select sid, status, coalesce(result, ''), (
        select coalesce(array_agg(e.payload::json ->> 'text' order by e.seq), '{}')
        from events e where e.log_id = invocations.sid
          and e.type = 'sandbox_function_invocation_log'),
      error ->> 'code'
    from invocations`);
  return new Map(rows.map((row) => [row.logId, row]));
}

const LOGS_AT_ONCE = 500;

/** Expects that every follower got every event of its log once, in order. */
async function expectFollowed(pool: pg.Pool, ledger: Ledger): Promise<void> {
  const followed = [...ledger.followed];
  for (let from = 0; from < followed.length; from += LOGS_AT_ONCE) {
    const some = followed.slice(from, from + LOGS_AT_ONCE);
    const { rows } = await pool.query<Received & { logId: string }>(
      `select log_id as "logId", seq, type, payload from events
       where log_id = any($1) order by log_id, seq`,
      [some.map(([logId]) => logId)],
    );
    const stored = Map.groupBy(rows, ({ logId }) => logId);
    for (const [logId, received] of some) {
      const ofLog = stored.get(logId) ?? [];
      expect({ logId, seen: received.map(describe) }).toEqual({ logId, seen: ofLog.map(describe) });
    }
  }
}

/** What has to be the same of an event that is stored and of one that was received. */
function describe({ seq, type, payload }: Received): string {
  const { text = "" } = JSON.parse(payload) as { text?: string };
  return `${seq} ${type} ${text}`;
}
