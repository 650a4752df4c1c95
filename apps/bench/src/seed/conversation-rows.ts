// What the server would have left: conversations of questions and their answers, each answer with its
// log and its run, all ended, and nothing for the retention to trim. The rows of `bench.conversations`
// are in the order of their ids, so that every index grows at its end although the ids are random.

/** The texts of a question and of an answer: no two are the same. */
const text = (words: string) =>
  `'${words} ' || c.sid || '/' || rank || repeat(md5(c.sid || rank), 3)`;

/** Both messages of each pair: of an even rank the question, and the answer after it. */
const messages = `
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

const conversations = `
  insert into conversations (id, sid, workspace_id, api_key_id, title, visibility, created_at,
    updated_at, read_at, position, message_count, message_bytes)
  select id, sid, workspace_id, api_key_id, 'Seeded', 'unlisted', created_at, created_at, created_at,
    position, messages, messages * 70
  from bench.conversations where i between $1 and $2 order by i`;

const logs = `
  insert into logs (id, last_seq, fence, closed_at, trim_after)
  select sid, messages / 2 * 3, 0, null, 0 from bench.conversations where i between $1 and $2
  union all
  select sid || rank, tokens + 1, 1, now(), null
  from bench.conversations, generate_series(1, messages - 1, 2) rank where i between $1 and $2
  order by 1`;

const runs = `
  insert into runs (log_id, kind, workspace_id, subject_id, ordering_key, status, priority, attempt,
    max_attempts, run_after, created_at, started_at, finished_at, outcome)
  select sid || rank, 'agent_turn', workspace_id, id + 1 + rank, id || '/helper', 'finished', 0, 1, 2,
    now(), created_at, created_at, created_at, 'succeeded'
  from bench.conversations, generate_series(1, messages - 1, 2) rank where i between $1 and $2
  order by 1`;

const conversationEvents = `
  insert into events (log_id, seq, type, payload)
  select c.sid, (rank - 1) / 2 * 3 + part, type, json_build_object('type', type,
    'created', c.created_at, 'configurationId', 'helper', 'messageId', c.sid || rank,
    'conversationId', c.sid, 'message', ${text("Announced")})
  from bench.conversations c, generate_series(1, c.messages - 1, 2) rank,
    (values (1, 'user_message_new'), (2, 'agent_message_new'), (3, 'agent_message_done')) e(part, type)
  where c.i between $1 and $2 order by c.i, rank, part`;

const answerEvents = `
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
export const conversationStatements: readonly string[] = [
  conversations,
  messages,
  logs,
  runs,
  conversationEvents,
  answerEvents,
];
