/**
 * Idempotency-Key: what a request creates and the row of its key are one transaction, which holds the
 * key's advisory lock. Others try the lock and never wait for it: requests that queue on a unique index
 * instead would take every connection of the pool.
 */
import { createHash } from "node:crypto";
import { statement } from "@parley/db";
import { canonicalJson, ParleyError, type Success } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Context, Process } from "./context.ts";
import { unwanted } from "./data-access/batcher.ts";
import { inTransaction, type Transaction } from "./log/transaction.ts";

/** How long a key is stored, in milliseconds. */
export const KEY_RETENTION_MS = 24 * 60 * 60 * 1000;
const SWEPT_AT_ONCE = 1000;

type StoredKey = { readonly fingerprint: string; readonly createdId: string };

/** The Idempotency-Key of a request. */
export interface IdempotencyKey {
  /** From `scopeOfKey`; undefined for a malformed key, which is refused after all other checks. */
  readonly scope: string | undefined;
  /** What was stored under the key when the request arrived. */
  readonly stored: StoredKey | undefined;
  /** What was asked, if it is not the input of the procedure; by it, two requests are the same. */
  readonly asked?: unknown;
  /** Called when the response is a replay. */
  readonly onReplay: () => void;
  /** Called once what the request creates is committed, or will not be. */
  readonly onRelease: () => void;
}

/** Reserves a key until what its request creates is committed. */
export interface IdempotencyReservation {
  readonly scope: string | undefined;
  readonly fingerprint: string;
  released: boolean;
}

export interface KeyedRequestServices {
  /** The keys under which this process is creating something, by scope. */
  readonly idempotencyReservations: Map<string, IdempotencyReservation>;
}

export interface KeyedRequest {
  readonly idempotencyKey?: IdempotencyKey | undefined;
  /** Its reservation of that key, while it creates something. */
  readonly claim?: IdempotencyReservation | undefined;
}

/** The context of functions that create at most once. */
export type KeyedContext = Context & KeyedRequestServices & KeyedRequest;

/** Another request has created it since this one arrived. */
class AlreadyCreated extends Error {
  override readonly name = "AlreadyCreated";
  readonly createdId: string;

  constructor(createdId: string) {
    super("Another request with the same Idempotency-Key has created it");
    this.createdId = createdId;
  }
}

/** The scope of a key: two requests are the same only with the same caller, route and parameters. */
export function scopeOfKey(parts: {
  /** Names the API key, or the user under it. */
  caller: string;
  route: string;
  params: unknown;
  key: string;
}): string {
  const { caller, route, params, key } = parts;
  return hashOf([caller, route, params, key]);
}

/** SHA-256 of a JSON value; the order of its members does not count. */
function hashOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url");
}

const findStatement = statement<{ workspaceId: number; scope: string; expired: number }, StoredKey>(
  "find_idempotency_key",
  sql`select fingerprint, created_id as "createdId" from idempotency_keys
    where workspace_id = ${sql.placeholder("workspaceId")} and scope = ${sql.placeholder("scope")}
      and created_at > ${sql.placeholder("expired")}`,
);

/** What was created under a scope in the last 24 hours. */
export async function findIdempotencyKey(
  core: Process,
  { workspaceId, scope }: { workspaceId: number; scope: string },
): Promise<StoredKey | undefined> {
  const values = { workspaceId, scope, expired: core.now() - KEY_RETENTION_MS };
  const [stored] = await findStatement.execute(core.database.db, values);
  return stored;
}

/**
 * Runs `make`, which creates something in a transaction of `inTransactionOnce`, or `replay` with its id
 * if an earlier request with the same Idempotency-Key and input has created it. Throws
 * `idempotency_key_in_use` while another request is creating it, and `idempotency_key_mismatch` if that
 * had another input.
 */
export async function once<T, C extends KeyedContext>(
  context: C,
  input: unknown,
  answer: { make: (context: C) => Promise<T>; replay: (createdId: string) => Promise<T> },
): Promise<T> {
  const { idempotencyKey: key } = context;
  if (key === undefined) return answer.make(context);
  const { scope, stored } = key;
  const replay = async (createdId: string): Promise<T> => {
    const replayed = await answer.replay(createdId);
    key.onReplay();
    return replayed;
  };
  const fingerprint = hashOf(key.asked ?? input);
  if (stored?.fingerprint === fingerprint) return replay(stored.createdId);
  const claim: IdempotencyReservation = { scope, fingerprint, released: false };
  if (scope !== undefined) {
    // The database decides; this spares it the concurrent requests of one process.
    if (context.idempotencyReservations.has(scope)) throw keyInUse();
    context.idempotencyReservations.set(scope, claim);
  }
  try {
    const created = await answer.make({ ...context, claim });
    if (!claim.released) throw new Error("Something was created outside of inTransactionOnce");
    return created;
  } catch (error) {
    if (error instanceof AlreadyCreated) return await replay(error.createdId);
    throw error;
  } finally {
    release(context, claim);
  }
}

/** A replay that answers nothing but success, if `require` still finds what the caller has named. */
export const replaySuccess =
  <C, I>(require: (context: C, input: I) => Promise<unknown>) =>
  async (context: C, input: I): Promise<Success> => {
    await require(context, input);
    return { success: true };
  };

function release(
  { idempotencyReservations, idempotencyKey }: KeyedContext,
  claim: IdempotencyReservation,
): void {
  if (claim.released) return;
  claim.released = true;
  if (claim.scope !== undefined) idempotencyReservations.delete(claim.scope);
  idempotencyKey?.onRelease();
}

/** What a transaction creates. */
export interface Making {
  /** The id by which a replay finds it. */
  readonly id: string;
  /** Whether it is stored; without this, a commit whose acknowledgement is lost counts as failed. */
  readonly isStored?: () => Promise<boolean>;
}

/**
 * Runs `work` in one transaction, like `inTransaction`, and stores the id of what it creates under the
 * request's Idempotency-Key if it has one. Throws `service_unavailable`, and does nothing, if the client
 * has gone.
 */
export async function inTransactionOnce<T>(
  context: KeyedContext,
  { id: createdId, isStored }: Making,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { claim } = context;
  if (context.isWanted?.() === false) throw unwanted();
  if (claim === undefined) return inTransaction(context, work, isStored);
  const { scope, fingerprint } = claim;
  if (scope === undefined) {
    const message =
      "Idempotency-Key: must be one header of 1 to 255 characters, none of them control characters";
    throw new ParleyError("invalid_request_error", message);
  }
  const workspaceId = context.caller.workspace.id;
  const isKeyStored = async () =>
    (await findIdempotencyKey(context, { workspaceId, scope }))?.createdId === createdId;
  try {
    return await inTransaction(
      context,
      async (transaction) => {
        await takeKey(context, transaction, { scope, fingerprint, createdId });
        return work(transaction);
      },
      isStored ?? isKeyStored,
    );
  } finally {
    release(context, claim);
  }
}

// Inserts nothing without the lock, or if there is a row of the last 24 hours.
const takeStatement = statement<
  StoredKey & { workspaceId: number; scope: string; now: number; expired: number },
  { scope: string }
>(
  "take_idempotency_key",
  sql`insert into idempotency_keys (workspace_id, scope, fingerprint, created_id, created_at)
    select ${sql.placeholder("workspaceId")}::bigint, ${sql.placeholder("scope")},
      ${sql.placeholder("fingerprint")}, ${sql.placeholder("createdId")}, ${sql.placeholder("now")}::bigint
    where pg_try_advisory_xact_lock(hashtextextended(${sql.placeholder("scope")}, 0))
      and hold_workspaces(array[${sql.placeholder("workspaceId")}::bigint])
    on conflict (workspace_id, scope) do update
      set fingerprint = excluded.fingerprint, created_id = excluded.created_id, created_at = excluded.created_at
      where idempotency_keys.created_at <= ${sql.placeholder("expired")}
    returning scope`,
);

async function takeKey(
  context: Context,
  { db }: Transaction,
  key: StoredKey & { scope: string },
): Promise<void> {
  const workspaceId = context.caller.workspace.id;
  const now = context.now();
  const expired = now - KEY_RETENTION_MS;
  const taken = await takeStatement.execute(db, { workspaceId, ...key, now, expired });
  if (taken.length > 0) return;
  const { scope } = key;
  const [stored] = await findStatement.execute(db, { workspaceId, scope, expired });
  if (stored === undefined) throw keyInUse();
  if (stored.fingerprint === key.fingerprint) throw new AlreadyCreated(stored.createdId);
  throw new ParleyError(
    "idempotency_key_mismatch",
    "The Idempotency-Key was used with another body: use a new key for a new request",
  );
}

function keyInUse(): ParleyError {
  return new ParleyError(
    "idempotency_key_in_use",
    "The first request with this Idempotency-Key is still in progress: try again",
    { retryAfterSeconds: 1 },
  );
}

const sweepStatement = statement<{ expired: number; limit: number }, { scope: string }>(
  "sweep_idempotency_keys",
  sql`delete from idempotency_keys where (workspace_id, scope) in (
      select workspace_id, scope from idempotency_keys
      where created_at <= ${sql.placeholder("expired")}
      order by created_at limit ${sql.placeholder("limit")} for update skip locked)
    returning scope`,
);

/** Deletes a bounded number of keys older than 24 hours, the oldest first, and gives that number. */
export async function sweepIdempotencyKeys(core: Process): Promise<number> {
  const values = { expired: core.now() - KEY_RETENTION_MS, limit: SWEPT_AT_ONCE };
  return (await sweepStatement.execute(core.database.db, values)).length;
}
