/** MCP servers in clients: who registered one, and nobody else, reads and answers its requests. */
import {
  clientServers,
  insertRow,
  logs,
  type Queryable,
  sandboxFunctions,
  sandboxFunctionVersions,
  users,
} from "@parley/db";
import {
  type ClientServerHeartbeat,
  type NamedClientServer,
  ParleyError,
  type RegisteredClientServer,
  type Success,
} from "@parley/schema";
import { and, asc, eq, gt, inArray, lte, type SQL } from "drizzle-orm";
import type { Context, Process } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import type { LogStream } from "../log/log-stream.ts";
import { inTransaction } from "../log/transaction.ts";
import {
  type ClientServerRow,
  isThere,
  lockClientServer,
  removeClientServers,
  sendClientRequest,
} from "./client-requests.ts";

/** How long a server is there after its registration or its last heartbeat. */
const LIFETIME_MS = 5 * 60 * 1000;
const MAX_PER_USER = 16;
const MAX_PER_WORKSPACE = 1000;
const SWEPT_AT_ONCE = 100;
/** Calls of the servers of one user that run at once; the others wait. */
const MAX_CONCURRENT = 20;
/** A call may wait for its user; what the executor needs to end it is part of this. */
const CALL_TIMEOUT_MS = 122_000;
const MAX_RESULT_BYTES = 1_048_576;

/** The first request to a server. */
export const INITIALIZE = "initialize";
const initializeParams = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "parley", version: "1.0.0" },
};

/**
 * Registers a server in the caller's client. Servers may have equal names. The caller's server that would
 * expire first makes room for one too many. Throws `rate_limit_error` if the workspace has no room.
 */
export async function registerClientServer(
  context: KeyedContext,
  { serverName: name }: { serverName: string },
): Promise<RegisteredClientServer> {
  const { workspace, apiKey, user } = context.caller;
  const sid = context.newId("cms");
  return inTransactionOnce(context, { id: sid }, async (transaction) => {
    const { db } = transaction;
    // Registrations of a user wait for each other.
    await db.select({ id: users.id }).from(users).where(eq(users.id, user.id)).for("update");
    const ofWorkspace = and(eq(clientServers.workspaceId, workspace.id), isThere(context));
    if ((await db.$count(clientServers, ofWorkspace)) >= MAX_PER_WORKSPACE) {
      const message = `serverName: the workspace has its maximum of ${MAX_PER_WORKSPACE} client servers`;
      throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 60 });
    }
    const own = await db
      .select({ id: clientServers.id, sid: clientServers.sid })
      .from(clientServers)
      .where(and(ofWorkspace, eq(clientServers.userId, user.id)))
      .orderBy(asc(clientServers.expiresAt), asc(clientServers.id))
      .for("update");
    await removeClientServers(
      transaction,
      own.slice(0, Math.max(0, own.length + 1 - MAX_PER_USER)),
    );
    const createdAt = context.now();
    await db.insert(logs).values({ id: sid, lastSeq: 0, fence: 0 });
    const server = await insertRow(db, clientServers, {
      sid,
      workspaceId: workspace.id,
      apiKeyId: apiKey.id,
      userId: user.id,
      functionId: await requireCaller(context, db),
      name,
      createdAt,
      expiresAt: createdAt + LIFETIME_MS,
    });
    const id = INITIALIZE;
    const request = { server, id, method: INITIALIZE, params: initializeParams } as const;
    await sendClientRequest(context, transaction, request);
    return render(server);
  });
}

/** Replays a registration. Throws `mcp_server_not_found` if the server is gone since. */
export async function replayRegistration(
  context: KeyedContext,
  _input: unknown,
  serverId: string,
): Promise<RegisteredClientServer> {
  return render(await requireClientServer(context, { serverId }));
}

/** Keeps a server for five minutes more. Throws `mcp_server_not_found`. */
export async function keepClientServer(
  context: KeyedContext,
  { serverId }: NamedClientServer,
): Promise<ClientServerHeartbeat> {
  await requireClientServer(context, { serverId });
  return inTransactionOnce(context, { id: serverId }, async ({ db }) => {
    const server = await lockClientServer(context, db, serverId);
    if (server === undefined) throw unknownClientServer();
    const expiresAt = context.now() + LIFETIME_MS;
    await db.update(clientServers).set({ expiresAt }).where(eq(clientServers.id, server.id));
    return { success: true, expiresAt: new Date(expiresAt).toISOString() };
  });
}

/** Replays a heartbeat: the server expires when it does. */
export async function replayHeartbeat(
  context: KeyedContext,
  input: NamedClientServer,
): Promise<ClientServerHeartbeat> {
  const { expiresAt } = render(await requireClientServer(context, input));
  return { success: true, expiresAt };
}

/** Removes a server before it expires. Throws `mcp_server_not_found`. */
export async function deregisterClientServer(
  context: KeyedContext,
  { serverId }: NamedClientServer,
): Promise<Success> {
  await requireClientServer(context, { serverId });
  return inTransactionOnce(context, { id: serverId }, async (transaction) => {
    const server = await lockClientServer(context, transaction.db, serverId);
    if (server === undefined) throw unknownClientServer();
    await removeClientServers(transaction, [server]);
    return { success: true };
  });
}

/** The stream of the requests to a server. Throws `mcp_server_not_found`. */
export async function findClientServerStream(
  context: Context,
  input: NamedClientServer,
): Promise<LogStream> {
  const { sid } = await requireClientServer(context, input);
  return { logId: sid, hidden, enveloped: true, afterEnd: "no content", space: undefined };
}

const hidden = new Set(["client_server_settled", "client_server_progress", "client_server_listed"]);

/** The caller's server with this id. Throws `mcp_server_not_found`. */
export async function requireClientServer(
  context: Context,
  { serverId }: NamedClientServer,
): Promise<ClientServerRow> {
  const { db } = context.database;
  const [row] = await db
    .select()
    .from(clientServers)
    .where(and(isCallers(context), eq(clientServers.sid, serverId)));
  if (row === undefined) throw unknownClientServer();
  return row;
}

/** Those of the ids that name servers of the caller. */
export async function findClientServerIds(
  context: Context,
  db: Queryable,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .select({ sid: clientServers.sid })
    .from(clientServers)
    .where(and(isCallers(context), inArray(clientServers.sid, [...ids])));
  const found = new Set(rows.map(({ sid }) => sid));
  return [...new Set(ids)].filter((id) => found.has(id));
}

/** Removes servers whose clients have not been heard of for long. Gives how many. */
export async function sweepClientServers(core: Process): Promise<number> {
  return inTransaction(core, async (transaction) => {
    const expired = await transaction.db
      .select({ id: clientServers.id, sid: clientServers.sid })
      .from(clientServers)
      .where(lte(clientServers.expiresAt, core.now()))
      .orderBy(asc(clientServers.expiresAt))
      .limit(SWEPT_AT_ONCE)
      .for("update", { skipLocked: true });
    await removeClientServers(transaction, expired);
    return expired.length;
  });
}

/** The error for a server that the caller does not have. */
export function unknownClientServer(): ParleyError {
  const message = "serverId: you have no such client server: register it again";
  return new ParleyError("mcp_server_not_found", message);
}

/** The condition that a server is there, and was registered by this user with this key. */
function isCallers({ caller, now }: Context): SQL | undefined {
  const { workspace, apiKey, user } = caller;
  return and(
    eq(clientServers.workspaceId, workspace.id),
    eq(clientServers.apiKeyId, apiKey.id),
    eq(clientServers.userId, user.id),
    gt(clientServers.expiresAt, now()),
  );
}

function render({ sid: serverId, expiresAt }: ClientServerRow): RegisteredClientServer {
  return { success: true, serverId, expiresAt: new Date(expiresAt).toISOString() };
}

/** The number of the function that calls the user's servers, in a transaction that has locked the user. */
async function requireCaller(context: Context, db: Queryable): Promise<number> {
  const { workspace, user } = context.caller;
  // No slug of a function of the workspace has a `_`.
  const slug = `cms_${user.sid}`;
  const ofWorkspace = eq(sandboxFunctions.workspaceId, workspace.id);
  const [known] = await db
    .select({ id: sandboxFunctions.id })
    .from(sandboxFunctions)
    .where(and(ofWorkspace, eq(sandboxFunctions.slug, slug)));
  if (known !== undefined) return known.id;
  const createdAt = context.now();
  const { id: functionId } = await insertRow(db, sandboxFunctions, {
    sid: context.newId("sfn"),
    workspaceId: workspace.id,
    clientUserId: user.id,
    slug,
    createdAt,
    updatedAt: createdAt,
  });
  await insertRow(db, sandboxFunctionVersions, {
    functionId,
    version: 1,
    description: "",
    program: { type: "client" },
    timeoutMs: CALL_TIMEOUT_MS,
    maxConcurrent: MAX_CONCURRENT,
    maxOutputBytes: MAX_RESULT_BYTES,
    // An attempt that continues waits for the request that was sent: it does not send another.
    retryable: true,
    createdAt,
  });
  return functionId;
}
