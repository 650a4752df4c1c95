import type pg from "pg";
import { conversationStatements } from "./conversation-rows.ts";

/** Conversations to write. */
export interface ConversationSeed {
  readonly conversations: number;
  /** Of each conversation, questions and answers in turn; even. */
  readonly messages: number;
  /** Events of each answer before its last one. */
  readonly tokens: number;
}

/** Rows of messages that are written together. */
const MESSAGES_AT_ONCE = 50_000;

/**
 * Writes conversations without a gap between their numbers, half of them into the demo workspace and
 * the others into the other workspaces in turn, if there are any. Gives the ids of those in the demo
 * workspace, in a random order, at most 10,000.
 */
export async function seedConversations(
  client: pg.Client,
  seed: ConversationSeed,
  onProgress: (written: number) => void = () => {},
): Promise<string[]> {
  const { conversations, messages } = seed;
  await client.query("create schema bench");
  await client.query(stage(seed, await reserveNumbers(client, seed)));
  await client.query("alter table bench.conversations add primary key (i)");
  const atOnce = Math.max(1, Math.floor(MESSAGES_AT_ONCE / messages));
  for (let from = 1; from <= conversations; from += atOnce) {
    const to = Math.min(conversations, from + atOnce - 1);
    for (const statement of conversationStatements) await client.query(statement, [from, to]);
    onProgress(to);
  }
  const { rows } = await client.query<{ sid: string }>(
    "select sid from bench.conversations where owner = 0 order by md5(sid) limit 10000",
  );
  await client.query("drop schema bench cascade");
  return rows.map(({ sid }) => sid);
}

interface Numbers {
  readonly id: number;
  readonly position: number;
}

/** Takes the first of the numbers, and moves the sequences after the last. */
async function reserveNumbers(
  client: pg.Client,
  { conversations, messages }: ConversationSeed,
): Promise<Numbers> {
  const { rows } = await client.query<Record<keyof Numbers, string>>(
    "select nextval('row_ids') as id, nextval('conversation_positions') as position",
  );
  const id = Number(rows[0]?.id);
  const position = Number(rows[0]?.position);
  // A value of this sequence stands for a block of a thousand.
  const blocks = Math.ceil((conversations * (messages + 1)) / 1000);
  await client.query("select setval('row_ids', $1), setval('conversation_positions', $2)", [
    id + blocks * 1000,
    position + conversations,
  ]);
  return { id, position };
}

/**
 * The statement that makes `bench.conversations`. Random ids would be written all over the indexes, so
 * they are numbered in their order.
 */
const stage = (seed: ConversationSeed, { id, position }: Numbers) => `
  create unlogged table bench.conversations as
  with owners as (
    select row_number() over (order by w.id) - 1 as owner, w.id as workspace_id,
      (select min(k.id) from api_keys k where k.workspace_id = w.id) as api_key_id,
      (select min(u.id) from users u where u.workspace_id = w.id) as user_id,
      (select a.id from agents a where a.workspace_id = w.id and a.sid = 'helper' and a.is_current)
        as agent_id
    from workspaces w
  ), ids as (
    select row_number() over (order by sid) as i, sid
    from (
      select left(translate(encode(decode(md5('${seed.messages}/' || n), 'hex'), 'base64'), '+/', 'xy'), 9)
        as sid
      from generate_series(1, ${seed.conversations}) n
    ) random
  ), placed as (
    select i, sid, count,
      case when i % 2 = 0 or count = 1 then 0 else 1 + (i / 2) % (count - 1) end as owner
    from ids, (select count(*) from owners) counted
  )
  select i, sid, ${id} + (i - 1) * ${seed.messages + 1} as id, ${position} + i as position,
    ${seed.messages} as messages, ${seed.tokens} as tokens,
    (extract(epoch from now()) * 1000)::bigint - (${seed.conversations} - i) * 1000 as created_at,
    owner, workspace_id, api_key_id, user_id, agent_id
  from placed join owners using (owner)`;
