import { type Queryable, statement, type WebhookAttempt, type WebhookSubject } from "@parley/db";
import type { WebhookEventName } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { keyReachesSpace } from "../data-access/key-reach.ts";
import { fromColumns } from "../data-access/row-json.ts";
import { fairTakeOver } from "../runs/claim-fairly.ts";
import {
  type Claimed,
  type ClaimedRun,
  type ClaimFrom,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";
import { claimFromQueues } from "../runs/claim-queues.ts";
import type { WebhookRow } from "./webhook-rows.ts";

/** Deliveries to one webhook that a worker holds at once; to one that fails, so that slow servers leave places for others. */
const PER_WEBHOOK = { well: 4, failing: 1 };
/** Bytes of an event that is sent with its delivery. */
const MAX_CONTENT_BYTES = 256 * 1024;

/** What a run that delivers starts from. */
export interface Delivery {
  readonly id: number;
  readonly sid: string;
  readonly event: WebhookEventName;
  readonly subject: WebhookSubject;
  readonly conversationId: number | null;
  readonly createdAt: number;
  /** How many webhooks led to the event, with this one. */
  readonly depth: number;
  readonly attempts: readonly WebhookAttempt[];
  readonly earlierAttempts: number;
  readonly webhook: WebhookRow;
  /** JSON of the event, if it is sent. */
  readonly content: string | null;
  /** Whether the key of the webhook still reaches what it is about; undefined once that key is revoked. */
  readonly isReached: boolean | null;
}

type DeliveryColumns = Omit<Delivery, "webhook"> & { readonly webhook: object };

const isReached = sql`
  case when w.api_key_id is null then true
    when not exists (
      select from api_keys k where k.id = w.api_key_id and k.revoked_at is null and k.role in ('builder', 'admin')
    ) then null
    else c.space_id is null or ${keyReachesSpace(sql`w.api_key_id`, sql`c.space_id`)} end`;

// A deleted conversation has no row: its id is all that is left of it.
const waitingDeliveries = (which: SQL): SQL => sql`
  select json_build_object('id', d.id, 'sid', d.sid, 'event', d.event, 'subject', d.subject,
    'conversationId', d.conversation_id, 'createdAt', d.created_at, 'depth', d.depth, 'attempts', d.attempts,
    'earlierAttempts', d.earlier_attempts, 'webhook', to_json(w), 'isReached', ${isReached},
    'content', case when w.sends_content then (
      select e.payload from events e
      where e.log_id = d.log_id and e.seq = d.seq
        and octet_length(e.payload) <= ${sql.raw(String(MAX_CONTENT_BYTES))}
    ) end)
  from webhook_deliveries d
  join webhooks w on w.id = d.webhook_id
  left join conversations c on c.id = d.conversation_id
  where d.status = 'waiting' and ${which}`;

const subject = waitingDeliveries(sql`d.id = claimed.subject_id`);

const toDelivery = ({ webhook, ...given }: DeliveryColumns): Delivery => ({
  ...given,
  webhook: fromColumns(webhook),
});

const readStatement = statement<{ ids: string }, { delivery: DeliveryColumns }>(
  "read_waiting_deliveries",
  sql`
  select found.delivery from (
    ${waitingDeliveries(sql`d.id in (select value::bigint from json_array_elements_text(${sql.placeholder("ids")}::json))`)}
  ) found(delivery) order by (found.delivery ->> 'id')::bigint`,
);

/** Reads deliveries that wait, oldest first. */
export async function readWaitingDeliveries(
  db: Queryable,
  ids: readonly number[],
): Promise<Delivery[]> {
  const rows = await readStatement.execute(db, { ids: JSON.stringify(ids) });
  return rows.map(({ delivery }) => toDelivery(delivery));
}

/** What the worker holds, as JSON `[{workspace_id, queue_id, running}]`. */
interface Values extends ClaimFrom {
  readonly held: string;
}

const claimStatement = claimFromQueues<Values, DeliveryColumns>("claim_deliveries", {
  kind: "delivery",
  queue: sql`runs.webhook_id`,
  running: sql`
    select * from json_to_recordset(${sql.placeholder("held")}::json)
      as h(workspace_id bigint, queue_id bigint, running int)`,
  most: {
    value: sql.raw(
      `case when w.failing_since is null then ${PER_WEBHOOK.well} else ${PER_WEBHOOK.failing} end`,
    ),
    from: sql`left join webhooks w on w.id = q.queue_id`,
  },
  subject,
});
const takeOverStatement = fairTakeOver<DeliveryColumns>("take_over_deliveries", {
  kind: "delivery",
  subject,
});

function toDeliveryRun(run: ClaimedRun<DeliveryColumns>): ClaimedRun<Delivery> {
  const { subject: given } = run;
  return { ...run, subject: given && toDelivery(given) };
}

/** Claims waiting deliveries: of each webhook and workspace as many as the worker does not hold already. */
export async function claimDeliveries(
  core: Pick<Process, "database">,
  { held, ...options }: ClaimFrom & { readonly held: Iterable<ClaimedRun> },
): Promise<Claimed<Delivery>> {
  const counts = new Map<string, { workspace_id: number; queue_id: number; running: number }>();
  for (const { workspaceId, subject: claimed } of held) {
    // A claim of deliveries gave it, or it is deleted.
    const queueId = (claimed as Delivery | null)?.webhook.id ?? 0;
    const count = counts.getOrInsertComputed(`${workspaceId}/${queueId}`, () => {
      return { workspace_id: workspaceId, queue_id: queueId, running: 0 };
    });
    count.running++;
  }
  const values = { ...options, held: JSON.stringify([...counts.values()]) };
  const claimed = toClaimed(await claimStatement.execute(core.database.db, values));
  return { ...claimed, runs: claimed.runs.map(toDeliveryRun) };
}

/** Takes over deliveries whose worker has not renewed its lease: a receiver may get them twice, under one id. */
export async function takeOverDeliveries(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<Delivery>[]> {
  if (options.limit <= 0) return [];
  return (await takeOverStatement.execute(database.db, options)).map(toDeliveryRun);
}
