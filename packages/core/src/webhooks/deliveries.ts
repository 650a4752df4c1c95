import { conversations, hasRow, statement, webhookDeliveries } from "@parley/db";
import {
  type DeliveryPage,
  type ListDeliveries,
  loggedWebhookEvents,
  type QueuedDeliveries,
  type RedeliverWebhook,
  type ReplayedDeliveries,
  type ReplayWebhook,
  type TestWebhook,
  type WebhookDelivery,
  type WebhookEventName,
  webhookSample,
} from "@parley/schema";
import { and, desc, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { reachesConversation } from "../access/conversation-reach.ts";
import type { RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { happenedToConversations, toldEvents } from "../log/webhook-outbox.ts";
import { requireEnabled, requireWebhook, type WebhookRow } from "./webhook-rows.ts";

/** Deliveries that one request queues. */
const MAX_QUEUED = 1000;
/** Attempts that stay when a delivery is sent again. */
const MAX_EARLIER_ATTEMPTS = 10;

type DeliveryRow = typeof webhookDeliveries.$inferSelect;

/** The condition that the caller reaches the conversation that a delivery is about, if it is about one that there is. */
export function isReachedBy({ caller }: Pick<RequestContext, "caller">): SQL | undefined {
  if (caller.kind === "operator") return undefined;
  const { conversationId } = webhookDeliveries;
  return or(
    isNull(conversationId),
    hasRow(sql`
      from ${conversations}
      where ${and(eq(conversations.id, conversationId), reachesConversation({ caller }))}`),
  );
}

/** Lists the deliveries of a webhook that the caller reaches, the newest first, a page at a time. */
export async function listDeliveries(
  context: RequestContext,
  input: ListDeliveries,
): Promise<DeliveryPage> {
  const { db } = context.database;
  const { row: webhook } = await requireWebhook(context, db, input);
  const { status, event, lastValue } = input;
  const { id, webhookId } = webhookDeliveries;
  const rows = await db
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookId, webhook.id),
        isReachedBy(context),
        status && eq(webhookDeliveries.status, status),
        event && eq(webhookDeliveries.event, event),
        lastValue === undefined ? undefined : lt(id, Number(lastValue)),
      ),
    )
    .orderBy(desc(id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, (row) => row.id);
  return { deliveries: page.map((row) => renderDelivery(webhook, row)), ...end };
}

function renderDelivery(webhook: WebhookRow, row: DeliveryRow): WebhookDelivery {
  const { sid: sId, event, status, subject, createdAt, nextAttemptAt, finishedAt } = row;
  return {
    sId,
    webhookId: webhook.sid,
    event,
    status,
    data: { ...subject },
    createdAt,
    nextAttemptAt: nextAttemptAt?.getTime() ?? null,
    finishedAt,
    attempts: row.attempts.map(({ at, durationMs, status: answered = null, error = null }) => {
      return { at, durationMs, status: answered, error };
    }),
    responseBody: row.responseBody,
  };
}

const redeliverStatement = statement<
  { webhookId: number; sids: string | null; limit: number },
  { queued: number }
>(
  "redeliver",
  sql`
  with chosen as (
    select d.id from webhook_deliveries d
    where d.webhook_id = ${sql.placeholder("webhookId")}::bigint and (
      case when ${sql.placeholder("sids")}::json is null then d.status = 'failed'
      else d.status <> 'waiting' and d.sid in (select value from json_array_elements_text(${sql.placeholder("sids")}::json))
      end)
    order by d.id limit ${sql.placeholder("limit")}::int
    for update
  ),
  again as (
    update webhook_deliveries d set status = 'waiting', finished_at = null,
      earlier_attempts = least(jsonb_array_length(d.attempts), ${sql.raw(String(MAX_EARLIER_ATTEMPTS))}),
      attempts = (
        select coalesce(jsonb_agg(last.attempt order by last.nth), '[]') from (
          select attempt, nth from jsonb_array_elements(d.attempts) with ordinality as a(attempt, nth)
          order by nth desc limit ${sql.raw(String(MAX_EARLIER_ATTEMPTS))}
        ) last
      )
    from chosen where d.id = chosen.id
    returning d.id
  )
  select send_deliveries(array(select id from again)) as queued`,
);

/**
 * Sends deliveries again that have ended, with all attempts of a new one: those that are named, or all that have failed.
 * Ignores what waits already. Throws `webhook_not_found`, and `invalid_request_error` if the webhook is switched off.
 */
export async function redeliver(
  context: RequestContext,
  input: RedeliverWebhook,
): Promise<QueuedDeliveries> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const { row } = await requireWebhook(context, db, input);
    requireEnabled(row);
    const sids = input.deliveryIds === undefined ? null : JSON.stringify(input.deliveryIds);
    const values = { webhookId: row.id, sids, limit: MAX_QUEUED };
    const [{ queued } = { queued: 0 }] = await redeliverStatement.execute(db, values);
    afterCommit.push({ topic: "runs", cause: "added", kind: "delivery" });
    return { queued, hasMore: queued === MAX_QUEUED };
  });
}

const CREATED = sql.raw("'conversation.created'");
const wantedTypes = sql`
  select value from json_array_elements_text(${sql.placeholder("types")}::json)`;
const isLookedAt = (workspaceId: SQL, at: SQL): SQL => sql`
  ${workspaceId} = ${sql.placeholder("workspaceId")}::bigint
  and ${at} >= ${sql.placeholder("from")}::bigint and ${at} < ${sql.placeholder("to")}::bigint`;

const replayStatement = statement<
  {
    webhookId: number;
    workspaceId: number;
    from: number;
    to: number;
    types: string;
    limit: number;
  },
  { queued: number; looked: number; last: number | null }
>(
  "replay_webhook",
  sql`
  with looked as materialized (
    (select r.finished_at as at, e.log_id, e.seq, e.type, e.payload
      from runs r join events e on e.log_id = r.log_id
      where ${isLookedAt(sql`r.workspace_id`, sql`r.finished_at`)} and e.type in (${wantedTypes})
      order by r.finished_at, e.log_id, e.seq limit ${sql.placeholder("limit")}::int)
    union all
    (select c.created_at, c.sid, 0, ${CREATED}, null from conversations c
      where ${isLookedAt(sql`c.workspace_id`, sql`c.created_at`)} and ${CREATED} in (${wantedTypes})
      order by c.created_at, c.sid limit ${sql.placeholder("limit")}::int)
    order by at, log_id, seq limit ${sql.placeholder("limit")}::int
  ),
  created as (
    select c.* from looked join conversations c on c.sid = looked.log_id where looked.type = ${CREATED}
  ),
  queued as (
    select tell_webhooks(events, ${sql.placeholder("webhookId")}::bigint) as count from (
      select ${toldEvents(sql`looked`, sql`e.at`)}
    ) happened(events) where events is not null
    union all
    select deliver_to_webhooks(rows, ${sql.placeholder("webhookId")}::bigint) from (
      select json_agg(h) from (${happenedToConversations(sql`created`, {
        event: "conversation.created",
        seq: 0,
        happenedAt: sql`c.created_at`,
      })}) h
    ) happened(rows) where rows is not null
  )
  select (select coalesce(sum(count), 0)::int from queued) as queued, (select count(*)::int from looked) as looked,
    (select max(at)::float8 from looked) as last`,
);

/**
 * Sends a webhook which answers and invocations ended in a time, and which conversations were created, as far as it was
 * not told of it; of deleted conversations nothing is left that could be told. Throws `webhook_not_found`, and
 * `invalid_request_error` if the webhook is switched off.
 */
export async function replayWebhook(
  context: RequestContext,
  input: ReplayWebhook,
): Promise<ReplayedDeliveries> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const { row, workspace } = await requireWebhook(context, db, input);
    requireEnabled(row);
    const logged = loggedWebhookEvents.filter(({ name }) => row.events.includes(name));
    const types = logged.map(({ type }) => type);
    if (row.events.includes("conversation.created")) types.push("conversation.created");
    const to = input.to ?? context.now() + 1;
    const [replayed] = await replayStatement.execute(db, {
      webhookId: row.id,
      workspaceId: workspace.id,
      from: input.from,
      to,
      types: JSON.stringify(types),
      limit: MAX_QUEUED,
    });
    const { queued = 0, looked = 0, last = null } = replayed ?? {};
    afterCommit.push({ topic: "runs", cause: "added", kind: "delivery" });
    const isCut = looked === MAX_QUEUED && last !== null;
    // What ended in the same millisecond is looked at again, unless nothing else was.
    return { queued, continueFrom: isCut ? Math.max(last, input.from + 1) : null };
  });
}

const sampleStatement = statement<{
  sid: string;
  webhookId: number;
  workspaceId: number;
  event: string;
  subject: string;
  now: number;
}>(
  "deliver_sample",
  sql`
  with delivery as (
    insert into webhook_deliveries (sid, workspace_id, webhook_id, event, subject, status, created_at)
    values (${sql.placeholder("sid")}, ${sql.placeholder("workspaceId")}::bigint,
      ${sql.placeholder("webhookId")}::bigint, ${sql.placeholder("event")}, ${sql.placeholder("subject")}::jsonb,
      'waiting', ${sql.placeholder("now")}::bigint)
    returning id
  )
  select send_deliveries(array(select id from delivery))`,
);

/** Sends a webhook a sample of an event, which says that it is one. Throws like `redeliver`. */
export async function testWebhook(
  context: RequestContext,
  { event: asked, ...named }: TestWebhook,
): Promise<QueuedDeliveries> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const { row } = await requireWebhook(context, db, named);
    requireEnabled(row);
    // The schema admits no webhook without an event.
    const event = asked ?? (row.events[0] as WebhookEventName);
    await sampleStatement.execute(db, {
      sid: context.newId("whd"),
      webhookId: row.id,
      workspaceId: row.workspaceId,
      event,
      subject: JSON.stringify({ ...webhookSample(event), isSample: true }),
      now: context.now(),
    });
    afterCommit.push({ topic: "runs", cause: "added", kind: "delivery" });
    return { queued: 1, hasMore: false };
  });
}
