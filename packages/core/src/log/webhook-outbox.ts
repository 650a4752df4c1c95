/**
 * What webhooks are told is written by the statement that makes it happen: a delivery for each webhook that wants the
 * event, with the log and the run that send it. So neither exists without the other, and nobody without webhooks pays a
 * statement.
 */
import { loggedWebhookEvents, type WebhookEventName } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { keyReachesSpace } from "../data-access/key-reach.ts";

/** Attempts of a delivery that may each end with the death of their worker. */
const MAX_DEATHS = 2;

/** The id of a delivery: the same event is delivered to a webhook under the same id, however often it is written. */
const deliverySid = sql`
  'whd_' || left(encode(sha256(convert_to(concat_ws('/', w.sid, h.log_id, h.seq, h.event), 'UTF8')), 'hex'), 24)`;

const admits = (ids: SQL, id: SQL) => sql`(${ids} is null or ${id} = any(${ids}))`;

/**
 * Parts of a statement that write deliveries of what `happened` selects: event, log_id, seq, workspace_id,
 * conversation_id, conversation_sid, space_id, agent_sid, function_sid, subject and happened_at; `only` is a further condition on
 * the webhook `w`. The parts `delivery_run` has a row for each.
 */
export function deliveryParts(happened: SQL, only: SQL = sql`w.disabled_for is null`): SQL {
  return sql`
  happened as (${happened}),
  wanted as (
    select h.*, w.id as webhook_id, ${deliverySid} as delivery_sid,
      case when w.is_ordered then w.sid || '/' || h.conversation_sid end as ordering_key
    from happened h join webhooks w on w.workspace_id = h.workspace_id
    where ${only} and h.event = any(w.events)
      and ${admits(sql`w.conversation_ids`, sql`h.conversation_sid`)}
      and ${admits(sql`w.agent_ids`, sql`h.agent_sid`)}
      and ${admits(sql`w.function_ids`, sql`h.function_sid`)}
      and (w.api_key_id is null or h.space_id is null or ${keyReachesSpace(sql`w.api_key_id`, sql`h.space_id`)})
  ),
  delivery as (
    insert into webhook_deliveries
      (sid, workspace_id, webhook_id, event, log_id, seq, subject, conversation_id, status, created_at)
    select delivery_sid, workspace_id, webhook_id, event, log_id, seq, subject, conversation_id, 'waiting', happened_at
    from wanted order by log_id, seq
    on conflict do nothing
    returning id, sid, workspace_id, webhook_id, created_at
  ),
  ${deliveryRunParts(sql`
    select delivery.*, wanted.ordering_key from delivery join wanted on wanted.delivery_sid = delivery.sid`)}`;
}

/** Parts of a statement that write the logs and runs of deliveries (id, sid, workspace_id, webhook_id, created_at, ordering_key). */
export const deliveryRunParts = (deliveries: SQL): SQL => sql`
  sent as (${deliveries}),
  delivery_log as (insert into logs (id, last_seq, fence) select sid, 0, 0 from sent),
  delivery_run as (
    insert into runs (kind, workspace_id, webhook_id, log_id, subject_id, ordering_key, status, priority, attempt,
      max_attempts, run_after, created_at)
    select 'delivery', workspace_id, webhook_id, sid, id, ordering_key,
      case when exists (
        select from runs earlier where earlier.ordering_key = sent.ordering_key and earlier.status <> 'finished'
      ) then 'queued' else 'waiting' end,
      0, 0, ${sql.raw(String(MAX_DEATHS))}, now(), created_at
    from sent order by id
    returning log_id
  )`;

/** Whether a statement with these parts has written deliveries. */
export const hasDeliveries = sql`exists (select from delivery_run)`;

/** The time of the database, in milliseconds since the epoch. */
export const databaseMs = sql`(extract(epoch from now()) * 1000)::bigint`;

const literal = (text: string | undefined) => sql.raw(text === undefined ? "null" : `'${text}'`);
const names = sql.join(
  loggedWebhookEvents.map(
    ({ type, code, name }) => sql`(${literal(type)}, ${literal(code)}, ${literal(name)})`,
  ),
  sql`, `,
);

/**
 * Events of logs (log_id, seq, type, payload) as deliveries need them: those that webhooks can be told of. An invocation by
 * an agent belongs to the conversation of its call.
 */
export const happenedInLogs = (placed: SQL, happenedAt: SQL = databaseMs): SQL => sql`
  select named.event, e.log_id, e.seq::int as seq, r.workspace_id, c.id as conversation_id, c.sid as conversation_sid,
    c.space_id, a.sid as agent_sid, f.sid as function_sid, ${happenedAt} as happened_at,
    jsonb_strip_nulls(jsonb_build_object(
      'conversationId', c.sid, 'messageId', m.sid, 'agentId', a.sid,
      'actionId', coalesce(called.sid, case when r.kind = 'agent_turn' then e.payload::jsonb ->> 'actionId' end),
      'budgets', case when e.type = 'agent_message_budget' then e.payload::jsonb -> 'budgets' end,
      'functionId', f.sid, 'invocationId', case when r.kind = 'invocation' then e.log_id end
    )) as subject
  from ${placed} e
  join (values ${names}) named(type, code, event)
    on named.type = e.type and (named.code is null or e.payload::jsonb #>> '{error,code}' = named.code)
  join runs r on r.log_id = e.log_id
  left join invocations i on r.kind = 'invocation' and i.id = r.subject_id
  left join actions called on called.id = i.action_id
  left join messages m on m.id = case r.kind when 'agent_turn' then r.subject_id else called.message_id end
  left join conversations c on c.id = m.conversation_id
  left join agents a on a.id = m.agent_id
  left join sandbox_functions f on f.id = r.function_id
  where coalesce(c.visibility, '') <> 'temporary' and f.tool_id is null and f.client_user_id is null`;

/** A conversation (id, sid, workspace_id, space_id, visibility) that was just created or deleted, as deliveries need it. */
export const happenedToConversations = (
  rows: SQL,
  { event, seq }: { readonly event: WebhookEventName; readonly seq: 0 | -1 },
): SQL => sql`
  select ${sql.raw(`'${event}'`)} as event, c.sid as log_id, ${sql.raw(String(seq))} as seq, c.workspace_id,
    ${seq === -1 ? sql`null::bigint` : sql`c.id`} as conversation_id, c.sid as conversation_sid,
    c.space_id, null::text as agent_sid, null::text as function_sid, ${databaseMs} as happened_at,
    jsonb_build_object('conversationId', c.sid) as subject
  from ${rows} c where c.visibility <> 'temporary'`;

const toldTypes: ReadonlySet<string> = new Set(loggedWebhookEvents.map(({ type }) => type));

/** Whether webhooks can be told of an event of a log. */
export const isToldToWebhooks = ({ type }: { readonly type: string }): boolean =>
  toldTypes.has(type);
