/**
 * Idempotency-Key: what a request makes, and the row that says so, are one transaction. Whoever makes
 * something holds the key's advisory lock, which others try and never wait for: requests that queue
 * on a unique index instead would take every connection of the pool.
 */
import { createHash } from "node:crypto";
import { statement } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import { type Context, type Core, inTransaction, type Transaction } from "./context.ts";

/** How long a key is kept, in milliseconds. */
export const KEY_KEPT_MS = 24 * 60 * 60 * 1000;
const SWEPT_AT_ONCE = 1000;

/** What is stored under a key. */
interface KeptKey {
  readonly fingerprint: string;
  /** Id of what was made. */
  readonly made: string;
}

/** The Idempotency-Key of a request. */
export interface IdempotencyKey {
  /** From `scopeOfKey`; none where the key is malformed, which is refused last of all. */
  readonly scope: string | undefined;
  /** What was found under the key when the request came. */
  readonly kept: KeptKey | undefined;
  /** Told when the answer is a replay. */
  readonly onReplay: () => void;
  /** Told once what the request makes is committed, or is not going to be. */
  readonly onRelease: () => void;
}

/** A request's hold on its key, until what it makes is committed. */
export interface KeyClaim {
  readonly scope: string | undefined;
  readonly fingerprint: string;
  /** Whether it was let go. */
  released: boolean;
}

/** Another request made it since this one came. */
class AlreadyMade extends Error {
  override readonly name = "AlreadyMade";
  readonly made: string;

  constructor(made: string) {
    super("Another request with the same Idempotency-Key has made it");
    this.made = made;
  }
}

/** The scope of a key: two requests are the same only with the same API key, route and parameters. */
export function scopeOfKey(parts: {
  apiKeyId: string;
  route: string;
  params: unknown;
  key: string;
}): string {
  const { apiKeyId, route, params, key } = parts;
  return hashOf([apiKeyId, route, params, key]);
}

/** SHA-256 of a JSON value; the order of its members does not count. */
function hashOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
  return createHash("sha256").update(canonical).digest("base64url");
}

const findStatement = statement<{ workspaceId: number; scope: string; expired: number }, KeptKey>(
  "find_idempotency_key",
  sql`select fingerprint, made from idempotency_keys
    where workspace_id = ${sql.placeholder("workspaceId")} and scope = ${sql.placeholder("scope")}
      and created_at > ${sql.placeholder("expired")}`,
);

/** What was made under a scope in the last 24 hours. */
export async function findKeptKey(
  core: Core,
  { workspaceId, scope }: { workspaceId: number; scope: string },
): Promise<KeptKey | undefined> {
  const values = { workspaceId, scope, expired: core.now() - KEY_KEPT_MS };
  const [kept] = await findStatement.execute(core.database.db, values);
  return kept;
}

/**
 * Runs `make`, which makes something in a transaction of `inTransactionOnce`, or, where an earlier
 * request with the same Idempotency-Key and input has made it, `replay` with its id. Throws
 * `idempotency_key_in_use` while another request makes it, and `idempotency_key_mismatch` where that
 * had another input.
 */
export async function once<T>(
  context: Context,
  input: unknown,
  answer: { make: (context: Context) => Promise<T>; replay: (made: string) => Promise<T> },
): Promise<T> {
  const { idempotencyKey: key } = context;
  if (key === undefined) return answer.make(context);
  const { scope, kept } = key;
  const replay = async (made: string): Promise<T> => {
    const replayed = await answer.replay(made);
    key.onReplay();
    return replayed;
  };
  const fingerprint = hashOf(input);
  if (kept?.fingerprint === fingerprint) return replay(kept.made);
  const claim: KeyClaim = { scope, fingerprint, released: false };
  if (scope !== undefined) {
    // The database decides; this spares it the many requests of one process that come at once.
    if (context.keyClaims.has(scope)) throw keyInUse();
    context.keyClaims.set(scope, claim);
  }
  try {
    const made = await answer.make({ ...context, claim });
    if (!claim.released) throw new Error("Something was made outside of inTransactionOnce");
    return made;
  } catch (error) {
    if (error instanceof AlreadyMade) return await replay(error.made);
    throw error;
  } finally {
    release(context, claim);
  }
}

function release({ keyClaims, idempotencyKey }: Context, claim: KeyClaim): void {
  if (claim.released) return;
  claim.released = true;
  if (claim.scope !== undefined) keyClaims.delete(claim.scope);
  idempotencyKey?.onRelease();
}

/**
 * Runs `work` in one transaction, like `inTransaction`, and keeps `made`, the id of what it makes,
 * under the request's Idempotency-Key if it has one.
 */
export async function inTransactionOnce<T>(
  context: Context,
  made: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { claim } = context;
  if (claim === undefined) return inTransaction(context, work);
  if (claim.scope === undefined) {
    const message =
      "Idempotency-Key: must be one header of 1 to 255 characters, none of them control characters";
    throw new ParleyError("invalid_request_error", message);
  }
  const key = { scope: claim.scope, fingerprint: claim.fingerprint, made };
  try {
    return await inTransaction(context, async (transaction) => {
      await takeKey(context, transaction, key);
      return work(transaction);
    });
  } finally {
    release(context, claim);
  }
}

// Whoever does not get the lock, and whoever finds a row of the last 24 hours, inserts nothing.
const takeStatement = statement<
  {
    workspaceId: number;
    scope: string;
    fingerprint: string;
    made: string;
    now: number;
    expired: number;
  },
  { scope: string }
>(
  "take_idempotency_key",
  sql`insert into idempotency_keys (workspace_id, scope, fingerprint, made, created_at)
    select ${sql.placeholder("workspaceId")}::bigint, ${sql.placeholder("scope")},
      ${sql.placeholder("fingerprint")}, ${sql.placeholder("made")}, ${sql.placeholder("now")}::bigint
    where pg_try_advisory_xact_lock(hashtextextended(${sql.placeholder("scope")}, 0))
    on conflict (workspace_id, scope) do update
      set fingerprint = excluded.fingerprint, made = excluded.made, created_at = excluded.created_at
      where idempotency_keys.created_at <= ${sql.placeholder("expired")}
    returning scope`,
);

async function takeKey(
  context: Context,
  { db }: Transaction,
  key: KeptKey & { scope: string },
): Promise<void> {
  const workspaceId = context.caller.workspace.id;
  const now = context.now();
  const expired = now - KEY_KEPT_MS;
  const taken = await takeStatement.execute(db, { workspaceId, ...key, now, expired });
  if (taken.length > 0) return;
  const { scope } = key;
  const [kept] = await findStatement.execute(db, { workspaceId, scope, expired });
  if (kept === undefined) throw keyInUse();
  if (kept.fingerprint === key.fingerprint) throw new AlreadyMade(kept.made);
  throw new ParleyError(
    "idempotency_key_mismatch",
    "The Idempotency-Key was used with another body: use a new key for a new request",
  );
}

function keyInUse(): ParleyError {
  return new ParleyError(
    "idempotency_key_in_use",
    "The first request with this Idempotency-Key is still being worked on: try again",
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

/** Deletes keys older than 24 hours, the oldest first and a bounded number of them; tells how many. */
export async function sweepIdempotencyKeys(core: Core): Promise<number> {
  const values = { expired: core.now() - KEY_KEPT_MS, limit: SWEPT_AT_ONCE };
  return (await sweepStatement.execute(core.database.db, values)).length;
}
