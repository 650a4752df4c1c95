/**
 * Receives what other services send. An event is committed with the run that starts what follows, before its sender is
 * answered; of events with one key, the first counts.
 */
import { heldWorkspaces, type Queryable, statement, triggers, workspaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Process, RunOrigin } from "../context.ts";
import type { RunServices } from "../runs/run-capacity.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { type Job, threadModule } from "../untrusted/job.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import {
  boundKey,
  challengeOf,
  isPing,
  keptHeaders,
  readEventBody,
  sentKey,
} from "./event-content.ts";
import type { KeyQuestion } from "./key-expression-thread.ts";
import { findSignatureFault, type ReceivedRequest } from "./signatures.ts";
import type { TriggerRow } from "./trigger-rows.ts";
import { isSecretOf, openTriggerSecrets } from "./trigger-secrets.ts";

/** A row, its index entries and its run. */
const ROW_BYTES = 1024;

const keyJob: Job<KeyQuestion, string | null | undefined> = {
  url: threadModule("key-expression-thread", import.meta.url),
  name: "evaluateKey",
  deadlineMs: 1000,
};

type Receiving = Process & RunServices & SecretServices & StorageServices;

/** A trigger that receives events, without its mapping. */
export type Receiver = Omit<TriggerRow, "mapping"> & { readonly workspaceSid: string };

// A module may be megabytes.
const { mapping: _mapping, ...columns } = getTableColumns(triggers);

/** The trigger that receives at a URL; undefined if it is unknown, switched off, or receives at the other form of URL. */
export async function findReceiver(
  { database }: Pick<Process, "database">,
  { wId, triggerId, isSigned }: { wId: string; triggerId: string; isSigned: boolean },
): Promise<Receiver | undefined> {
  const [row] = await database.db
    .select({ ...columns, workspaceSid: workspaces.sid })
    .from(triggers)
    .innerJoin(workspaces, eq(workspaces.id, triggers.workspaceId))
    .where(
      and(
        eq(triggers.sid, triggerId),
        eq(workspaces.sid, wId),
        isNull(triggers.disabledFor),
        isNull(workspaces.deletedAt),
        isNull(workspaces.suspendedAt),
      ),
    );
  return row !== undefined && (row.source.type !== "url") === isSigned ? row : undefined;
}

const refused = (why: string): ParleyError => new ParleyError("webhook_source_auth_error", why);

/** Throws `webhook_source_auth_error` unless a text is the secret in the URL of a trigger. */
export function requireUrlSecret(
  { now }: Pick<Process, "now">,
  receiver: Receiver,
  secret: string,
): void {
  if (!isSecretOf(receiver, secret, now())) throw refused("The secret in the URL does not match");
}

/** What became of a request: what it asks to be answered with, if it only asks that, or whether its event is new. */
export type Received =
  | { readonly challenge: string }
  | { readonly outcome: "stored" | "repeated" | "ping" };

/** A request to the URL of a trigger. */
export interface ReceivedEvent {
  readonly request: ReceivedRequest;
  readonly origin: RunOrigin;
  readonly signal: AbortSignal;
  /** Runs work on so many bytes when its turn has come. */
  readonly inTurn: <T>(bytes: number, work: () => T) => T | Promise<T>;
  /** Called once the sender has proven who it is, before anything is stored: throws to refuse the event. */
  readonly onProven: () => Promise<void>;
}

/**
 * Receives an event: whoever sends it to a URL with a secret has shown that. Throws `webhook_source_auth_error` for a signed one
 * without a valid signature, `invalid_request_error` for a body that cannot be read, `rate_limit_error` if too many events of
 * the workspace wait, and `budget_exceeded` if the workspace is full.
 */
export async function receiveEvent(
  core: Receiving,
  receiver: Receiver,
  { request, origin, signal, inTurn, onProven }: ReceivedEvent,
): Promise<Received> {
  const { source } = receiver;
  const fault = await inTurn(request.body.byteLength, () => findFault(core, receiver, request));
  if (fault !== undefined) throw refused(`The event is refused: ${fault}`);
  await onProven();
  const readsForms = source.type !== "url";
  const body = await inTurn(request.body.byteLength, () => readEventBody(request, { readsForms }));
  const challenge = challengeOf(source, body);
  if (challenge !== undefined) return { challenge };
  const key = await keyOf(core, receiver, { request, body, signal });
  const isIgnored = isPing(source, request);
  if (!isIgnored) await core.reserveRunCapacity(receiver.workspaceId, "trigger_event", 1);
  const status = isIgnored ? "ignored" : "waiting";
  const stored = await reservingRoom(core, receiver, request, () => {
    const event = { receiver, request, key, origin, status, isSample: false } as const;
    return storeEvent(core, core.database.db, event);
  });
  if (stored === undefined) return { outcome: "repeated" };
  if (isIgnored) return { outcome: "ping" };
  core.bus.publish([{ topic: "runs", cause: "added", kind: "trigger_event" }]);
  return { outcome: "stored" };
}

function findFault(
  core: Pick<Receiving, "now" | "secretBox">,
  receiver: Receiver,
  request: ReceivedRequest,
): string | undefined {
  const { source } = receiver;
  if (source.type === "url") return undefined;
  const now = core.now();
  const secrets = openTriggerSecrets(core, receiver, now);
  return findSignatureFault(source, request, { secrets, now });
}

/** Stores something of a trigger while its workspace has room. Throws `budget_exceeded`. */
async function reservingRoom<T>(
  { storage }: StorageServices,
  { workspaceId }: Pick<TriggerRow, "workspaceId">,
  { body }: Pick<ReceivedRequest, "body">,
  store: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const bytes = body.byteLength + ROW_BYTES;
  if (!(await storage.reserve(workspaceId, bytes)).fits) {
    throw new ParleyError("budget_exceeded", "The workspace is full");
  }
  let stored: T | undefined;
  try {
    stored = await store();
    return stored;
  } finally {
    if (stored === undefined) storage.add(workspaceId, -bytes);
  }
}

/** What an event is known by: what its source says, else what the trigger's expression gives. */
async function keyOf(
  { threads }: Pick<Process, "threads">,
  {
    source,
    keyExpression,
    workspaceId,
  }: Pick<Receiver, "source" | "keyExpression" | "workspaceId">,
  { request, body, signal }: { request: ReceivedRequest; body: unknown; signal: AbortSignal },
): Promise<string | undefined> {
  const sent = sentKey(source, request, body);
  if (sent !== undefined || keyExpression === null) return sent;
  const event = { headers: keptHeaders(request), body };
  const question = { expression: keyExpression, event };
  const outcome = await threads.call(keyJob, question, { workspaceId, origin: "request", signal });
  const key = "value" in outcome ? outcome.value : undefined;
  if (key !== undefined) return boundKey(key ?? undefined);
  const message = "Invalid request body: the key expression of the trigger gives no text or number";
  throw new ParleyError("invalid_request_error", message);
}

const storeStatement = statement<
  {
    workspaceIds: string;
    sid: string;
    workspaceId: number;
    triggerId: number;
    onceKey: string | null;
    status: string;
    isSample: boolean;
    headers: string;
    body: Uint8Array;
    bytes: number;
    depth: number;
    createdAt: number;
    apiKeyId: number | null;
    requestId: string | null;
    traceparent: string | null;
  },
  { id: number }
>(
  "store_trigger_event",
  sql`
  with ${heldWorkspaces},
  event as (
    insert into trigger_events (sid, workspace_id, trigger_id, once_key, status, is_sample, headers, body, bytes, depth,
      created_at, finished_at)
    select ${sql.placeholder("sid")}, ${sql.placeholder("workspaceId")}::bigint,
      ${sql.placeholder("triggerId")}::bigint, ${sql.placeholder("onceKey")}, ${sql.placeholder("status")}::text,
      ${sql.placeholder("isSample")}::bool, ${sql.placeholder("headers")}::jsonb, ${sql.placeholder("body")}::bytea,
      ${sql.placeholder("bytes")}::int, ${sql.placeholder("depth")}::int, ${sql.placeholder("createdAt")}::bigint,
      case when ${sql.placeholder("status")}::text = 'ignored' then ${sql.placeholder("createdAt")}::bigint end
    from held where is_held
    on conflict (trigger_id, once_key) do nothing
    returning id, sid, workspace_id, trigger_id, status, depth, created_at
  ),
  log as (insert into logs (id, last_seq, fence) select sid, 0, 0 from event where status = 'waiting'),
  run as (
    insert into runs (kind, workspace_id, trigger_id, log_id, subject_id, status, priority, attempt, max_attempts,
      run_after, created_at, api_key_id, request_id, traceparent, depth)
    select 'trigger_event', workspace_id, trigger_id, sid, id, 'waiting', 0, 0, 2, now(), created_at,
      ${sql.placeholder("apiKeyId")}::bigint, ${sql.placeholder("requestId")}, ${sql.placeholder("traceparent")}, depth
    from event where status = 'waiting'
  )
  select id::float8 as id from event`,
);

/** Stores an event with its run, and gives its number; undefined if the trigger has one with its key. */
export async function storeEvent(
  core: Pick<Process, "newId" | "now">,
  db: Queryable,
  {
    receiver,
    request,
    key,
    origin,
    status,
    isSample,
  }: {
    readonly receiver: Pick<TriggerRow, "id" | "workspaceId" | "apiKeyId">;
    readonly request: ReceivedRequest;
    readonly key: string | undefined;
    readonly origin: RunOrigin | undefined;
    readonly status: "waiting" | "ignored";
    readonly isSample: boolean;
  },
): Promise<number | undefined> {
  const { id: triggerId, workspaceId, apiKeyId } = receiver;
  const values = {
    workspaceIds: JSON.stringify([workspaceId]),
    sid: core.newId("tre"),
    workspaceId,
    triggerId,
    onceKey: key ?? null,
    status,
    isSample,
    headers: JSON.stringify(keptHeaders(request)),
    body: request.body,
    bytes: request.body.byteLength,
    depth: origin?.depth ?? 0,
    createdAt: core.now(),
    apiKeyId,
    requestId: origin?.requestId ?? null,
    traceparent: origin?.traceparent ?? null,
  };
  const [row] = await storeStatement.execute(db, values);
  return row?.id;
}
