/**
 * Deliveries of a webhook whose program no server reaches: they have no runs and wait in their rows. Whoever takes them is
 * given the oldest again until it says how they have ended, so that a connection that breaks loses none.
 */
import { statement, type WebhookAttempt, webhookDeliveries, webhooks } from "@parley/db";
import {
  invalidRequest,
  MAX_TAKEN_DELIVERIES,
  type TakeDeliveries,
  type TakenDeliveries,
} from "@parley/schema";
import { and, asc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { type Delivery, readWaitingDeliveries } from "./claim-deliveries.ts";
import { composeDelivery, refusalOf, UNREADABLE_SECRET } from "./compose-delivery.ts";
import type { DeliveryReaderServices } from "./delivery-readers.ts";
import { isReachedBy } from "./deliveries.ts";
import { disableWebhook } from "./settle-delivery.ts";
import { requireEnabled, requireWebhook, type WebhookRow } from "./webhook-rows.ts";

/** How exactly it is noted when deliveries were last taken. */
const TAKEN_AT_MS = 3_600_000;

type TakingContext = RequestContext & SecretServices & DeliveryReaderServices;
type Taken = TakenDeliveries["deliveries"][number];

/** How an attempt of a taken delivery ended. */
interface Ended {
  readonly sid: string;
  readonly attempt: WebhookAttempt;
  readonly responseBody?: string | undefined;
}

const settleStatement = statement<{ webhookId: number; ended: string; now: number }>(
  "settle_taken_deliveries",
  sql`
  update webhook_deliveries d set
    status = case when e.attempt -> 'error' is null then 'succeeded' else 'failed' end,
    finished_at = ${sql.placeholder("now")}::bigint, attempts = d.attempts || e.attempt,
    response_body = coalesce(e."responseBody", d.response_body)
  from json_to_recordset(${sql.placeholder("ended")}::json) as e(sid text, attempt jsonb, "responseBody" text)
  where d.webhook_id = ${sql.placeholder("webhookId")}::bigint and d.sid = e.sid and d.status = 'waiting'`,
);

/**
 * Notes how deliveries ended that were taken before, then gives those that wait and that the caller reaches, waiting for
 * some as long as the caller asks. Throws `webhook_not_found`, and `invalid_request_error` for a webhook that is switched off
 * or whose deliveries are sent.
 */
export async function takeDeliveries(
  context: TakingContext,
  { outcomes = [], waitMs, ...named }: TakeDeliveries,
): Promise<TakenDeliveries> {
  const webhook = await inTransaction(context, async (transaction) => {
    const { row } = await requireWebhook(context, transaction.db, named);
    requirePulled(row);
    requireEnabled(row);
    const ended = outcomes.map((outcome) => toEnded(outcome, context.now()));
    await settle(context, transaction, { webhook: row, ended });
    await noteTaken(context, transaction, row);
    return row;
  });
  const look = () => lookForDeliveries(context, { webhook, workspaceId: named.wId });
  const options = { timeoutMs: waitMs, signal: context.signal };
  const found = await context.deliveryReaders.wait(webhook.id, look, options);
  return { deliveries: [...found] };
}

function requirePulled({ isPulled }: WebhookRow): void {
  if (isPulled) return;
  const message =
    "its deliveries are sent to its URL: only those of a webhook with isPulled are taken";
  throw invalidRequest("path", [{ path: "webhookId", message }]);
}

function toEnded(
  { deliveryId, status, error, body, durationMs }: NonNullable<TakeDeliveries["outcomes"]>[number],
  now: number,
): Ended {
  const isTaken = error === undefined && status !== undefined && status >= 200 && status < 300;
  const why = status === undefined ? "There was no answer" : `It answered ${status}`;
  return {
    sid: deliveryId,
    attempt: {
      at: now - durationMs,
      durationMs,
      ...(status !== undefined && { status }),
      ...(!isTaken && { error: error ?? why }),
    },
    responseBody: body,
  };
}

async function settle(
  { now }: Pick<RequestContext, "now">,
  { db }: Pick<Transaction, "db">,
  { webhook, ended }: { webhook: WebhookRow; ended: readonly Ended[] },
): Promise<void> {
  if (ended.length === 0) return;
  const values = { webhookId: webhook.id, ended: JSON.stringify(ended), now: now() };
  await settleStatement.execute(db, values);
}

async function noteTaken(
  { now }: Pick<RequestContext, "now">,
  { db }: Pick<Transaction, "db">,
  { id, takenAt }: WebhookRow,
): Promise<void> {
  const before = now() - TAKEN_AT_MS;
  if (takenAt !== null && takenAt > before) return;
  await db
    .update(webhooks)
    .set({ takenAt: now() })
    .where(
      and(eq(webhooks.id, id), or(isNull(webhooks.takenAt), lt(webhooks.takenAt, before + 1))),
    );
}

/** The oldest that wait, composed. What may not be sent ends, and is not given. */
async function lookForDeliveries(
  context: TakingContext,
  { webhook, workspaceId }: { webhook: WebhookRow; workspaceId: string },
): Promise<Taken[]> {
  const { db } = context.database;
  const { id, webhookId, status } = webhookDeliveries;
  const waiting = await db
    .select({ id })
    .from(webhookDeliveries)
    .where(and(eq(webhookId, webhook.id), eq(status, "waiting"), isReachedBy(context)))
    .orderBy(asc(id))
    .limit(MAX_TAKEN_DELIVERIES);
  if (waiting.length === 0) return [];
  const found = await readWaitingDeliveries(
    db,
    waiting.map((row) => row.id),
  );
  const at = context.now();
  const composed = found.map((delivery) => {
    const refusal = refusalOf(delivery);
    const sent = refusal ? undefined : composeDelivery(context, delivery, { workspaceId, at });
    return {
      delivery,
      refusal: refusal ?? (sent ? undefined : { error: UNREADABLE_SECRET }),
      sent,
    };
  });
  const refused = composed.filter(({ refusal }) => refusal !== undefined);
  if (refused.length > 0) await giveUp(context, webhook, refused);
  return composed.flatMap(({ delivery: { sid: sId, event }, sent }) =>
    sent === undefined ? [] : [{ sId, event, ...sent }],
  );
}

interface Refused {
  readonly delivery: Delivery;
  readonly refusal: ReturnType<typeof refusalOf>;
}

async function giveUp(
  context: TakingContext,
  webhook: WebhookRow,
  refused: readonly Refused[],
): Promise<void> {
  const at = context.now();
  await inTransaction(context, async (transaction) => {
    const ended = refused.map(({ delivery: { sid }, refusal }) => ({
      sid,
      attempt: { at, durationMs: 0, error: refusal?.error ?? "" },
    }));
    await settle(context, transaction, { webhook, ended });
    const disabledFor = refused.find(({ refusal }) => refusal?.disabledFor)?.refusal?.disabledFor;
    if (disabledFor !== undefined) {
      await disableWebhook(context, transaction, { webhook, disabledFor });
    }
  });
}
