import type pg from "pg";

// What the server would have left: conversations of questions and their answers, each answer with its
// log and its run, all ended, and nothing for the retention to trim. The rows of `bench.conversations`
// are in the order of their ids, so that every index grows at its end although the ids are random.

/** The texts of a question and of an answer: no two are the same. */
const text = (words: string) =>
  `'${words} ' || c.sid || '/' || rank || repeat(md5(c.sid || rank), 3)`;

/** Both messages of each pair: of an even rank the question, and the answer after it. */
const messageRows = `
  insert into messages (sid, id, workspace_id, conversation_id, rank, version, type, visibility,
    created_at, content, context, user_id, mentions, agent_id, parent_message_id, status,
    raw_contents, skip_tools_validation, finished_at, steps)
  select c.sid || rank, c.id + 1 + rank, c.workspace_id, c.id, rank, 0,
    case when is_answer then 'agent_message' else 'user_message' end, 'visible', c.created_at,
    content, case when not is_answer then '{"username":"bench","timezone":"Europe/Paris"}'::jsonb end,
    case when not is_answer then c.user_id end,
    case when not is_answer then '[{"configurationId":"helper"}]'::jsonb end,
    case when is_answer then c.agent_id end,
    case when is_answer then c.sid || (rank - 1) end,
    case when is_answer then 'succeeded' end,
    case when is_answer then jsonb_build_array(jsonb_build_object('step', 0, 'content', content)) end,
    case when is_answer then false end,
    case when is_answer then c.created_at end,
    case when is_answer then '[{"step":0,"durationMs":1,"inputTokens":null,"outputTokens":null}]'::jsonb
    end
  from bench.conversations c, generate_series(0, c.messages - 1) rank,
    lateral (select rank % 2 = 1 as is_answer) kind,
    lateral (select ${text("What would you say to")} as content) said
  where c.i between $1 and $2 order by c.i, rank`;

const conversationRows = `
  insert into conversations (id, sid, workspace_id, api_key_id, title, visibility, created_at,
    updated_at, read_at, position, message_count, message_bytes)
  select id, sid, workspace_id, api_key_id, 'Seeded', 'unlisted', created_at, created_at, created_at,
    position, messages, messages * 70
  from bench.conversations where i between $1 and $2 order by i`;

const logRows = `
  insert into logs (id, last_seq, fence, closed_at, trim_after)
  select sid, messages / 2 * 3, 0, null, 0 from bench.conversations where i between $1 and $2
  union all
  select sid || rank, tokens + 1, 1, now(), null
  from bench.conversations, generate_series(1, messages - 1, 2) rank where i between $1 and $2
  order by 1`;

const runRows = `
  insert into runs (log_id, kind, workspace_id, subject_id, ordering_key, status, priority, attempt,
    max_attempts, run_after, created_at, started_at, finished_at, outcome)
  select sid || rank, 'agent_turn', workspace_id, id + 1 + rank, id || '/helper', 'finished', 0, 1, 2,
    now(), created_at, created_at, created_at, 'succeeded'
  from bench.conversations, generate_series(1, messages - 1, 2) rank where i between $1 and $2
  order by 1`;

const conversationEventRows = `
  insert into events (log_id, seq, type, payload)
  select c.sid, (rank - 1) / 2 * 3 + part, type, json_build_object('type', type,
    'created', c.created_at, 'configurationId', 'helper', 'messageId', c.sid || rank,
    'conversationId', c.sid, 'message', ${text("Announced")})
  from bench.conversations c, generate_series(1, c.messages - 1, 2) rank,
    (values (1, 'user_message_new'), (2, 'agent_message_new'), (3, 'agent_message_done')) e(part, type)
  where c.i between $1 and $2 order by c.i, rank, part`;

const answerEventRows = `
  insert into events (log_id, seq, type, payload)
  select c.sid || rank, seq, type, case type
    when 'generation_tokens' then json_build_object('type', type, 'created', c.created_at,
      'configurationId', 'helper', 'messageId', c.sid || rank, 'step', 0,
      'text', md5(c.sid || seq), 'classification', 'tokens')
    else json_build_object('type', type, 'created', c.created_at, 'configurationId', 'helper',
      'messageId', c.sid || rank, 'step', 0, 'message', json_build_object(
        'type', 'agent_message', 'id', c.id + 1 + rank, 'sId', c.sid || rank, 'visibility', 'visible',
        'version', 0, 'created', c.created_at, 'agentMessageId', c.id + 1 + rank,
        'parentMessageId', c.sid || (rank - 1), 'parentAgentMessageId', null,
        'configuration', json_build_object('agentVersion', c.agent_id, 'status', 'active'),
        'status', 'succeeded', 'actions', json_build_array(), 'content', ${text("Answered")},
        'chainOfThought', null, 'rawContents', json_build_array(), 'error', null),
      'runIds', json_build_array())
    end
  from bench.conversations c, generate_series(1, c.messages - 1, 2) rank,
    generate_series(1, c.tokens + 1) seq,
    lateral (select case when seq <= c.tokens then 'generation_tokens' else 'agent_message_success' end
      as type) kind
  where c.i between $1 and $2 order by c.i, rank, seq`;

/** The statements that write the conversations of `bench.conversations` from number $1 to $2. */
const conversationStatements: readonly string[] = [
  conversationRows,
  messageRows,
  logRows,
  runRows,
  conversationEventRows,
  answerEventRows,
];

/** Conversations to write. */
export interface ConversationSeed {
  readonly conversations: number;
  /** Of each conversation, questions and answers in turn; even. */
  readonly messages: number;
  /** Events of each answer before its last one. */
  readonly tokens: number;
  /** Time from one to the next; a second if it is not given. */
  readonly apartMs?: number;
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
  onProgress: (written: number) => void | Promise<void> = () => {},
): Promise<string[]> {
  const { conversations, messages } = seed;
  await client.query("create schema bench");
  await client.query(stage(seed, await reserveNumbers(client, seed)));
  await client.query("alter table bench.conversations add primary key (i)");
  const atOnce = Math.max(1, Math.floor(MESSAGES_AT_ONCE / messages));
  for (let from = 1; from <= conversations; from += atOnce) {
    const to = Math.min(conversations, from + atOnce - 1);
    for (const statement of conversationStatements) await client.query(statement, [from, to]);
    await onProgress(to);
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
    (extract(epoch from now()) * 1000)::bigint
      - floor((${seed.conversations} - i) * ${seed.apartMs ?? 1000}::float8)::bigint as created_at,
    owner, workspace_id, api_key_id, user_id, agent_id
  from placed join owners using (owner)`;
