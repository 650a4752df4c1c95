import type pg from "pg";
import { expect } from "vitest";
import type { Ledger } from "./ledger.ts";

const TERMINAL = `('agent_message_success', 'agent_error', 'agent_generation_cancelled')`;

/** What must be true of the stored state at any time, each with the query for what contradicts it. */
const rules: Readonly<Record<string, string>> = {
  "an Idempotency-Key made two conversations": `
    select title from conversations group by title having count(*) > 1`,
  "a log has gaps, or not as many events as it says": `
    select logs.id from logs left join events on events.log_id = logs.id
    group by logs.id, logs.last_seq
    having count(events.seq) <> logs.last_seq
      or coalesce(max(events.seq), 0) <> logs.last_seq or coalesce(min(events.seq), 1) <> 1`,
  "an agent's message has not exactly one terminal event, its last": `
    select m.sid from messages m join logs on logs.id = m.sid
    where m.type = 'agent_message' and (
      logs.closed_at is null
      or (select count(*) from events e where e.log_id = m.sid and e.type in ${TERMINAL}) <> 1
      or (select e.type from events e where e.log_id = m.sid and e.seq = logs.last_seq)
        not in ${TERMINAL})`,
  "a message that is open, or says other than its events": `
    select m.sid from messages m where m.type = 'agent_message' and (
      m.status = 'created' or m.content <> (
        select coalesce(string_agg(e.payload::json ->> 'text', '' order by e.seq), '')
        from events e where e.log_id = m.sid and e.type = 'generation_tokens'
          and e.payload::json ->> 'classification' = 'tokens'))`,
  "an answer that its conversation did not tell the end of once": `
    select m.sid from messages m join conversations c on c.id = m.conversation_id
    where m.type = 'agent_message' and (
      select count(*) from events e where e.log_id = c.sid and e.type = 'agent_message_done'
        and e.payload::json ->> 'messageId' = m.sid) <> 1`,
  "a run that is not finished": `select log_id from runs where status <> 'finished'`,
};

/** Expects that what was acknowledged is there, that all logs are whole, and that followers saw them. */
export async function expectSoundness(pool: pg.Pool, ledger: Ledger): Promise<void> {
  expect([...ledger.failed].slice(0, 5)).toEqual([]);
  for (const [rule, query] of Object.entries(rules)) {
    const { rows } = await pool.query<Record<string, string>>(`${query} limit 5`);
    expect({ rule, found: rows }).toEqual({ rule, found: [] });
  }
  const ids = [...ledger.acknowledged.values()].map(({ conversationId }) => conversationId);
  const { rows: missing } = await pool.query(
    `select * from unnest($1::text[]) as acknowledged(sid)
     where not exists (select from conversations c where c.sid = acknowledged.sid)`,
    [ids],
  );
  expect(missing).toEqual([]);
  await expectFollowed(pool, ledger);
}

const LOGS_AT_ONCE = 500;

/** Expects that every follower got every event of its log once, in order. */
async function expectFollowed(pool: pg.Pool, ledger: Ledger): Promise<void> {
  const followed = [...ledger.followed];
  for (let from = 0; from < followed.length; from += LOGS_AT_ONCE) {
    const some = followed.slice(from, from + LOGS_AT_ONCE);
    const { rows } = await pool.query<{ logId: string; seq: number; payload: string }>(
      `select log_id as "logId", seq, payload from events where log_id = any($1) order by seq`,
      [some.map(([logId]) => logId)],
    );
    const stored = Map.groupBy(rows, ({ logId }) => logId);
    for (const [logId, received] of some) {
      const seen = received.map(({ seq, payload }) => ({ logId, seq, payload }));
      expect(seen).toEqual(stored.get(logId));
    }
  }
}
