/**
 * What webhooks are told is written by the statement that makes it happen: a delivery for each webhook that wants the
 * event, with the log and the run that send it. So neither exists without the other, and nobody without webhooks pays a
 * statement. The database has functions for it, which are planned only where there is a webhook.
 */
import { hasRow } from "@parley/db";
import { loggedWebhookEvents, type WebhookEventName } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";

const literal = (text: string | undefined) => sql.raw(text === undefined ? "null" : `'${text}'`);
const names = sql.join(
  loggedWebhookEvents.map(
    ({ type, code, name }) => sql`(${literal(type)}, ${literal(code)}, ${literal(name)})`,
  ),
  sql`, `,
);

const hasWebhooks = (workspaceId: SQL): SQL =>
  hasRow(sql`from webhooks w where w.workspace_id = ${workspaceId} and w.disabled_for is null`);

/** Events of logs (log_id, seq, type, payload, happened_at) as `tell_webhooks` takes them, as far as webhooks are told of them. */
export const toldEvents = (placed: SQL, happenedAt: SQL): SQL => sql`
  json_agg(json_build_object('event', named.event, 'log_id', e.log_id, 'seq', e.seq, 'happened_at', ${happenedAt},
    'action_id', e.payload::jsonb ->> 'actionId', 'budgets', e.payload::jsonb -> 'budgets',
    'of_task', case when e.payload::jsonb ? 'path' and e.payload::jsonb ->> 'messageId' <> e.log_id then
      jsonb_build_object('conversationId', e.payload::jsonb -> 'conversationId',
        'messageId', e.payload::jsonb -> 'messageId', 'agentId', e.payload::jsonb -> 'configurationId') end))
  from ${placed} e
  join (values ${names}) named(type, code, event)
    on named.type = e.type and (named.code is null or e.payload::jsonb #>> '{error,code}' = named.code)`;

/** Part of a statement: tells webhooks of events of logs that it writes, whose runs are in `ofRuns`. */
export const toldOfLogs = (placed: SQL, ofRuns = sql`runs`): SQL => sql`
  told as (
    select tell_webhooks(events, null) as deliveries from (
      select ${toldEvents(placed, sql`null::bigint`)}
      where ${hasRow(sql`
        from ${ofRuns} r where r.log_id = e.log_id and ${hasWebhooks(sql`r.workspace_id`)}`)}
    ) happened(events) where events is not null
  )`;

/** Part of a statement: tells webhooks of what has happened, which selects what `deliver_to_webhooks` takes. */
export const toldOf = (happened: SQL): SQL => sql`
  told as (
    select deliver_to_webhooks(rows, null) as deliveries from (
      select json_agg(h) from (${happened}) h where ${hasWebhooks(sql`h.workspace_id`)}
    ) happened(rows) where rows is not null
  )`;

/** The id of a conversation `c` as filters of webhooks name it: of a task that of the first one. */
export const filteredConversation: SQL = sql`
  coalesce((select root.sid from conversations root where root.id = c.root_id), c.sid)`;

/**
 * Selects a conversation (id, sid, root_id, workspace_id, space_id, visibility) that was created or deleted, for `toldOf`: just now, or
 * at `happenedAt`.
 */
export const happenedToConversations = (
  rows: SQL,
  {
    event,
    seq,
    happenedAt = sql`null::bigint`,
  }: { readonly event: WebhookEventName; readonly seq: 0 | -1; readonly happenedAt?: SQL },
): SQL => sql`
  select ${literal(event)} as event, c.sid as log_id, ${sql.raw(String(seq))} as seq, c.workspace_id,
    ${seq === -1 ? sql`null::bigint` : sql`c.id`} as conversation_id, ${filteredConversation} as conversation_sid,
    c.root_id is not null as is_task, c.space_id,
    jsonb_build_object('conversationId', c.sid) as subject, ${happenedAt} as happened_at
  from ${rows} c where c.visibility <> 'temporary'`;

/** Whether a statement with the part `told` has written deliveries; they are only written where this is selected. */
export const hasDeliveries = sql`coalesce((select sum(deliveries) from told), 0) > 0`;

const toldTypes: ReadonlySet<string> = new Set(loggedWebhookEvents.map(({ type }) => type));

/** Whether webhooks can be told of an event of a log. */
export const isToldToWebhooks = ({ type }: { readonly type: string }): boolean =>
  toldTypes.has(type);
