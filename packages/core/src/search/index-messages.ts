/**
 * Writes the words of messages in the background, in bounded batches: of new messages, of answers that have ended, and of
 * those from before the first run. The create knows nothing of it. A message is indexed once, because its id is the key;
 * and none is missed, because the position passes no time at which an open transaction may still have created one
 * (docs/decisions/words-are-indexed-apart.md).
 */
import { messageIndex, type Queryable, statement } from "@parley/db";
import { type MessageIndexState, SEARCHED_CHARACTERS } from "@parley/schema";
import { eq, type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { findOldestWriterMs } from "../data-access/oldest-writer.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { inTransaction } from "../log/transaction.ts";
import { keepMessages } from "./erase-words.ts";

/**
 * Messages of a batch at most, and bytes of their searched texts; one message may have more. Each batch looks again for what
 * the last minute has left, so few large ones are cheaper.
 */
const MAX_ROWS = 2000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_CHARACTER_BYTES = 4;
/** How much time is looked through at once, if nothing was indexed for longer. */
const SLICE_MS = 600_000;
/**
 * A message's time is taken before its transaction has written anything: it waits for a connection and for locks in
 * between, each for seconds at most.
 */
const UNWRITTEN_MS = 60_000;

const raw = (number: number): SQL => sql.raw(String(number));
const bigint = (name: string): SQL => sql`${sql.placeholder(name)}::bigint`;

/** The one of the words that stands for a workspace; no parsed text contains it. */
export const workspaceWord = (id: SQL): SQL => sql`'workspace ' || ${id}`;

/** The words of a message `m`, with its workspace as one. */
const wordsOf = sql`
  to_tsvector('simple', left(m.content, ${raw(SEARCHED_CHARACTERS)}))
    || array_to_tsvector(array[${workspaceWord(sql`m.workspace_id`)}])`;

const searchedBytes = sql`least(octet_length(m.content), ${raw(SEARCHED_CHARACTERS * MAX_CHARACTER_BYTES)})`;

/** Of the rows `candidate` (message_id, bytes), those that a batch has: as many as fit, and one at least. */
const sized = sql`
  sized as materialized (
    select message_id from (
      select message_id, bytes, sum(bytes) over (order by message_id rows unbounded preceding) as total from candidate
    ) summed where total <= ${raw(MAX_BYTES)} or total = bytes
  )`;

/** Whether a message `m` is indexed: who creates a temporary conversation is promised that nothing of it stays. */
const isIndexed = sql`
  m.type in ('user_message', 'agent_message')
    and exists (select from conversations c where c.id = m.conversation_id and c.visibility <> 'temporary')`;

const insertSized = sql`
  inserted as (
    insert into message_words (message_id, workspace_id, conversation_id, created_at, words)
    select m.sid, m.workspace_id, m.conversation_id, m.created_at,
      case when m.status is distinct from 'created' then ${wordsOf} end
    from sized join messages m on m.sid = sized.message_id
    where ${isIndexed}
    on conflict do nothing
    returning 1
  )`;

interface Batch {
  /** Messages that were looked at. */
  readonly looked: number;
  readonly indexed: number;
  /** Whether there are none after these. */
  readonly isLast: boolean;
  /** The greatest id of them. */
  readonly lastId: string | null;
}

const counts = sql`
  select (select count(*) from sized)::int as looked, (select count(*) from inserted)::int as indexed,
    (select count(*) from sized) = (select count(*) from candidate)
      and (select count(*) from candidate) < ${raw(MAX_ROWS)} as "isLast",
    (select max(message_id) from sized) as "lastId"`;

// The limit is apart from the range of time: with both, the planner would read messages in the order of their ids.
const newStatement = statement<{ position: number; until: number }, Batch>(
  "index_new_messages",
  sql`
  with recent as materialized (
    select m.sid as message_id, ${searchedBytes} as bytes from messages m
    where m.created_at >= ${bigint("position")} and m.created_at < ${bigint("until")} and ${isIndexed}
      and not exists (select from message_words w where w.message_id = m.sid)
  ),
  candidate as materialized (select * from recent limit ${raw(MAX_ROWS)}),
  ${sized},
  ${insertSized}
  ${counts}`,
);

const oldStatement = statement<{ after: string }, Batch>(
  "index_old_messages",
  sql`
  with candidate as materialized (
    select m.sid as message_id, ${searchedBytes} as bytes from messages m
    where m.sid > ${sql.placeholder("after")} order by m.sid limit ${raw(MAX_ROWS)}
  ),
  ${sized},
  ${insertSized}
  ${counts}`,
);

const endedStatement = statement<Record<string, never>, Batch>(
  "index_ended_answers",
  sql`
  with candidate as materialized (
    select w.message_id, ${searchedBytes} as bytes
    from message_words w join messages m on m.sid = w.message_id
    where w.words is null and m.status <> 'created' limit ${raw(MAX_ROWS)}
  ),
  ${sized},
  inserted as (
    update message_words w set words = ${wordsOf}
    from sized join messages m on m.sid = sized.message_id
    where w.message_id = sized.message_id
    returning 1
  )
  ${counts}`,
);

/** What a run has indexed. */
export interface IndexedMessages {
  readonly indexed: number;
  /** Whether there is nothing left for now. */
  readonly isAll: boolean;
  /** How old the newest time is up to which all is indexed; undefined while another process indexes. */
  readonly lagMs?: number;
}

/**
 * Indexes a batch of each kind. Of several processes, one does it at a time; the others do nothing meanwhile.
 * `unwrittenMs` is how long a transaction may have the time of a message before it has written anything.
 */
export async function indexMessages(
  core: Process,
  { unwrittenMs = UNWRITTEN_MS }: { readonly unwrittenMs?: number } = {},
): Promise<IndexedMessages> {
  const slow = onSlowDatabase(core);
  // Before the snapshot of the messages: what is committed in between is seen, and what begins in between is younger.
  const startedAt = core.now();
  const oldestMs = await findOldestWriterMs(slow.database.db);
  const safe = Math.floor(startedAt - oldestMs - unwrittenMs);
  return inTransaction(slow, async ({ db }) => {
    const state = await lockState(db, safe);
    if (state === undefined) return { indexed: 0, isAll: true };
    await db.execute(keepMessages);
    const none: Batch = { looked: 0, indexed: 0, isLast: true, lastId: null };
    const { position } = state;
    const isBehind = position + SLICE_MS < safe;
    const until = isBehind ? position + SLICE_MS : Number.MAX_SAFE_INTEGER;
    const [fresh = none] = await newStatement.execute(db, { position, until });
    const [ended = none] = await endedStatement.execute(db, {});
    const { backfillAfter } = state;
    const [old = none] =
      backfillAfter === null ? [] : await oldStatement.execute(db, { after: backfillAfter });
    const isCurrent = fresh.isLast && ended.isLast && !isBehind;
    const indexedUntil = isCurrent ? Math.max(state.indexedUntil, startedAt) : state.indexedUntil;
    await db
      .update(messageIndex)
      .set({
        indexedUntil,
        position: fresh.isLast ? Math.max(position, Math.min(until, safe)) : position,
        backfillAfter: old.isLast ? null : old.lastId,
      })
      .where(eq(messageIndex.id, state.id));
    return {
      indexed: fresh.indexed + ended.indexed + old.indexed,
      isAll: isCurrent && old.isLast,
      lagMs: Math.max(0, startedAt - indexedUntil),
    };
  });
}

/** The locked row; undefined if another process has it. */
async function lockState(db: Queryable, position: number) {
  // With nothing indexed yet, what is stored now is from before the first run.
  const first = { id: 1, position, indexedUntil: 0, backfillAfter: "" };
  const select = () => db.select().from(messageIndex).for("update", { skipLocked: true });
  const [found] = await select();
  if (found !== undefined) return found;
  await db.insert(messageIndex).values(first).onConflictDoNothing();
  const [inserted] = await select();
  return inserted;
}

const stateStatement = statement<
  Record<string, never>,
  { indexedUntil: number; backfillAfter: string | null }
>(
  "read_message_index",
  sql`select indexed_until as "indexedUntil", backfill_after as "backfillAfter" from message_index`,
);

/** How far messages are indexed. */
export async function readIndexState(db: Queryable): Promise<MessageIndexState> {
  const [row] = await stateStatement.execute(db, {});
  const { indexedUntil = 0, backfillAfter = "" } = row ?? {};
  return {
    indexedUntil: indexedUntil === 0 ? null : indexedUntil,
    isComplete: backfillAfter === null,
  };
}
