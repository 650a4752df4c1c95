/** Sessions: what stands for a credential in a browser, where no script can read it. */
import { apiKeys, type Queryable, sessions } from "@parley/db";
import {
  type OpenedSession,
  ParleyError,
  type Session,
  type SignInCode,
  type Success,
} from "@parley/schema";
import { and, asc, eq, gt, inArray, lte } from "drizzle-orm";
import type { Caller, Process, RequestContext } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { generateSessionToken, generateSignInCode, hashSecret } from "./key-secrets.ts";

const SESSION_MS = 12 * 60 * 60 * 1000;
const CODE_MS = 10 * 60 * 1000;
/** Live sessions and codes of a key; the oldest make room. */
const MAX_PER_KEY = 100;
const SWEPT_AT_ONCE = 1000;

/** How a transport gives a session to the browser. */
export interface SessionServices {
  /** Sets the cookie of the page; without a token, removes it. */
  readonly setSession?:
    | ((session: { token: string; expiresAt: number } | undefined) => void)
    | undefined;
}

/** A session or a code, as it was stored. */
export type StoredSession = typeof sessions.$inferSelect;

/** Opens a session for the caller's credential. Throws `invalid_request_error` for one that Parley does not keep. */
export async function createSession(
  context: RequestContext & SessionServices,
): Promise<OpenedSession> {
  const token = generateSessionToken();
  const { expiresAt } = await storeSession(context, { secret: token, isCode: false });
  context.setSession?.({ token, expiresAt });
  return { session: describeCaller(context.caller, expiresAt) };
}

/** Says whose credential it is that calls. */
export async function getSession({ caller }: RequestContext): Promise<OpenedSession> {
  return { session: describeCaller(caller, caller.session?.expiresAt ?? endOf(caller)) };
}

/** Ends the session of the page; without one, changes nothing. */
export async function endSession(context: RequestContext & SessionServices): Promise<Success> {
  const { caller } = context;
  await inTransaction(context, async ({ db, afterCommit, markCreated }) => {
    // The subject of the record.
    markCreated(caller.apiKey.sid);
    await db.delete(sessions).where(eq(sessions.hash, caller.session?.hash ?? ""));
    afterCommit.push({ topic: "keys", workspaceId: workspaceIdOf(caller) });
  });
  context.setSession?.(undefined);
  return { success: true };
}

/** Creates a code that opens one session. Throws like `createSession`. */
export async function createSignInCode(context: RequestContext): Promise<SignInCode> {
  const code = generateSignInCode();
  const { expiresAt } = await storeSession(context, { secret: code, isCode: true });
  return { code, url: signInUrl(context.publicUrl, code), expiresAt };
}

/** Creates a code for a key of the server itself, as `createSignInCode` does; undefined for an unknown key. */
export async function createCodeForKey(
  core: Pick<Process, "database" | "now" | "publicUrl">,
  secret: string,
): Promise<string | undefined> {
  const credentialHash = hashSecret(secret);
  const { db } = core.database;
  const [key] = await db.select().from(apiKeys).where(eq(apiKeys.hash, credentialHash));
  if (key === undefined) return undefined;
  const code = generateSignInCode();
  await db.insert(sessions).values({
    hash: hashSecret(code),
    isCode: true,
    credentialHash,
    ofUserToken: false,
    apiKeyId: key.id,
    createdAt: core.now(),
    expiresAt: core.now() + CODE_MS,
  });
  return signInUrl(core.publicUrl, code);
}

/** A fragment is in no request and in no log. */
const signInUrl = (publicUrl: string, code: string): string => `${publicUrl}/#code=${code}`;

async function storeSession(
  context: RequestContext,
  { secret, isCode }: { secret: string; isCode: boolean },
): Promise<StoredSession> {
  const { caller } = context;
  const { credentialHash } = caller;
  if (credentialHash === undefined) {
    const message = "An issuer's token cannot open a session: use a key or a Parley token";
    throw new ParleyError("invalid_request_error", message);
  }
  const createdAt = context.now();
  const ends = [
    createdAt + (isCode ? CODE_MS : SESSION_MS),
    caller.session?.expiresAt,
    endOf(caller),
  ];
  return inTransaction(context, async ({ db, markCreated }) => {
    // The subject of the record.
    markCreated(caller.apiKey.sid);
    await makeRoom(context, db, caller.apiKey.id);
    const [row] = await db
      .insert(sessions)
      .values({
        hash: hashSecret(secret),
        isCode,
        credentialHash,
        ofUserToken: isOfUserToken(caller),
        apiKeyId: caller.apiKey.id,
        createdAt,
        expiresAt: Math.min(...ends.filter((end) => typeof end === "number")),
      })
      .returning();
    if (row === undefined) throw new Error("The session was not written");
    return row;
  });
}

/** Deletes the sessions of a key that ended, and the oldest if it has too many. */
async function makeRoom({ now }: RequestContext, db: Queryable, apiKeyId: number): Promise<void> {
  // Those of a key are counted one after the other.
  await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(eq(apiKeys.id, apiKeyId))
    .for("no key update");
  const live = await db
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(and(eq(sessions.apiKeyId, apiKeyId), gt(sessions.expiresAt, now())))
    .orderBy(asc(sessions.createdAt), asc(sessions.hash));
  const oldest = live.slice(0, Math.max(0, live.length + 1 - MAX_PER_KEY)).map(({ hash }) => hash);
  if (oldest.length > 0) await db.delete(sessions).where(inArray(sessions.hash, oldest));
}

/** The session with a hash. */
export async function findSession(
  { database }: Pick<Process, "database">,
  hash: string,
): Promise<StoredSession | undefined> {
  const [row] = await database.db
    .select()
    .from(sessions)
    .where(and(eq(sessions.hash, hash), eq(sessions.isCode, false)));
  return row;
}

/** Takes a code, which nobody can take again. */
export async function takeCode(
  { database }: Pick<Process, "database">,
  hash: string,
): Promise<StoredSession | undefined> {
  const [row] = await database.db
    .delete(sessions)
    .where(and(eq(sessions.hash, hash), eq(sessions.isCode, true)))
    .returning();
  return row;
}

/** Deletes a batch of sessions and codes that ended, and gives their number. */
export async function sweepSessions(core: Pick<Process, "database" | "now">): Promise<number> {
  const { db } = core.database;
  const { hash, expiresAt } = sessions;
  const some = db
    .select({ hash })
    .from(sessions)
    .where(lte(expiresAt, core.now()))
    .orderBy(expiresAt)
    .limit(SWEPT_AT_ONCE)
    .for("update", { skipLocked: true });
  const swept = await db.delete(sessions).where(inArray(hash, some)).returning({ hash });
  return swept.length;
}

function describeCaller(caller: Caller, expiresAt: number | null): Session {
  const isOperator = caller.kind === "operator";
  const token = isOperator ? undefined : caller.userToken;
  return {
    workspace: isOperator ? null : { sId: caller.workspace.sid, name: caller.workspace.name },
    role: caller.apiKey.role as Session["role"],
    scopes: token === undefined ? null : [...token.scopes],
    keyName: caller.apiKey.name,
    userName: isOperator || token === undefined ? null : caller.user.fullName,
    expiresAt,
  };
}

/** When the credential of a caller ends; null if it does not. */
function endOf(caller: Caller): number | null {
  const token = caller.kind === "workspace" ? caller.userToken : undefined;
  return token?.expiresAt ?? caller.apiKey.expiresAt;
}

const isOfUserToken = (caller: Caller): boolean =>
  caller.kind === "workspace" && caller.userToken !== undefined;

const workspaceIdOf = (caller: Caller): number | null =>
  caller.kind === "workspace" ? caller.workspace.id : null;
