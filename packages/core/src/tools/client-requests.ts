/**
 * Requests to MCP servers in clients: a row for each, and an event of the server's log. Who writes them
 * holds the lock of the server's row, which comes after those of all other logs.
 */
import {
  clientRequests,
  clientServers,
  events,
  logs,
  type Queryable,
  sandboxFunctions,
  sandboxFunctionVersions,
} from "@parley/db";
import type { ClientServerEvent, ClientServerMessage } from "@parley/schema";
import { and, asc, eq, gt, inArray, isNull, type SQL } from "drizzle-orm";
import type { Process } from "../context.ts";
import { appendEvents } from "../log/append.ts";
import { goneHints } from "../log/bus.ts";
import { lockLogs } from "../log/lock-logs.ts";
import type { Transaction } from "../log/transaction.ts";

export type ClientServerRow = typeof clientServers.$inferSelect;
export type ClientRequestRow = typeof clientRequests.$inferSelect;
type Written = Pick<Transaction, "db" | "afterCommit">;

/** A query for servers with the functions that call them. */
export function selectClientServers(db: Queryable) {
  return db
    .select({
      server: clientServers,
      caller: sandboxFunctions,
      definition: sandboxFunctionVersions,
    })
    .from(clientServers)
    .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, clientServers.functionId))
    .innerJoin(
      sandboxFunctionVersions,
      and(
        eq(sandboxFunctionVersions.functionId, sandboxFunctions.id),
        eq(sandboxFunctionVersions.version, sandboxFunctions.version),
      ),
    );
}

/** The condition that a server is there. */
export function isThere({ now }: Pick<Process, "now">): SQL | undefined {
  return gt(clientServers.expiresAt, now());
}

/** Locks a server that is there; undefined if it is gone. */
export async function lockClientServer(
  core: Pick<Process, "now">,
  db: Queryable,
  sid: string,
): Promise<ClientServerRow | undefined> {
  const named = and(eq(clientServers.sid, sid), isThere(core));
  const [row] = await db.select().from(clientServers).where(named).for("update");
  return row;
}

/** Appends to a locked server's log, and gives the number of the last event. */
export async function appendToServer(
  { db, afterCommit }: Written,
  { sid }: Pick<ClientServerRow, "sid">,
  written: readonly ClientServerEvent[],
): Promise<number> {
  const ends = await appendEvents(db, [{ logId: sid, events: written }], afterCommit);
  const end = ends.get(sid);
  if (end === undefined) throw new Error(`The server ${sid} has no log`);
  return end;
}

/** A message to a client, as an event. */
export function messageEvent(message: Omit<ClientServerMessage, "jsonrpc">): ClientServerEvent {
  return { type: "client_server_message", message: { jsonrpc: "2.0", ...message } };
}

/** Sends a request to a locked server, after the given events; one that was sent stays as it is. */
export async function sendClientRequest(
  core: Pick<Process, "now">,
  transaction: Written,
  {
    server,
    before = [],
    ...request
  }: {
    server: Pick<ClientServerRow, "id" | "sid">;
    before?: readonly ClientServerEvent[];
    id: string;
    method: ClientRequestRow["method"];
    params: Record<string, unknown>;
  },
): Promise<ClientRequestRow> {
  const { id, method } = request;
  const { db } = transaction;
  const named = and(eq(clientRequests.serverId, server.id), eq(clientRequests.id, id));
  const [sent] = await db.select().from(clientRequests).where(named);
  if (sent !== undefined) return sent;
  const seq = await appendToServer(transaction, server, [...before, messageEvent(request)]);
  const row = { serverId: server.id, id, method, seq, createdAt: core.now() };
  const [inserted] = await db.insert(clientRequests).values(row).returning();
  if (inserted === undefined) throw new Error(`The request ${id} was not written`);
  return inserted;
}

/** Ends a request of a locked server; false if it had ended or is unknown. */
export async function settleClientRequest(
  core: Pick<Process, "now">,
  { db }: Pick<Transaction, "db">,
  { serverId, id, answer }: { serverId: number; id: string; answer: string | null },
): Promise<boolean> {
  const named = and(eq(clientRequests.serverId, serverId), eq(clientRequests.id, id));
  const settled = await db
    .update(clientRequests)
    .set({ answer, settledAt: core.now() })
    .where(and(named, isNull(clientRequests.settledAt)))
    .returning({ id: clientRequests.id });
  return settled.length > 0;
}

/** Tells clients that nobody waits for these requests any more, if they have not answered. */
export async function cancelClientRequests(
  core: Pick<Process, "now">,
  transaction: Written,
  { ids, reason }: { ids: readonly string[]; reason: string },
): Promise<void> {
  const { db } = transaction;
  const open = await db
    .select({ id: clientRequests.id, serverId: clientRequests.serverId })
    .from(clientRequests)
    .where(and(inArray(clientRequests.id, [...ids]), isNull(clientRequests.settledAt)));
  if (open.length === 0) return;
  const servers = await db
    .select()
    .from(clientServers)
    .where(
      inArray(
        clientServers.id,
        open.map(({ serverId }) => serverId),
      ),
    )
    .orderBy(asc(clientServers.id))
    .for("update");
  for (const server of servers) {
    for (const { id, serverId } of open) {
      if (serverId !== server.id) continue;
      if (!(await settleClientRequest(core, transaction, { serverId, id, answer: null }))) continue;
      const params = { requestId: id, reason };
      await appendToServer(transaction, server, [
        messageEvent({ method: "notifications/cancelled", params }),
        { type: "client_server_settled", id },
      ]);
    }
  }
}

/** Removes locked servers with their requests and logs: their followers end. */
export async function removeClientServers(
  { db, afterCommit }: Written,
  removed: readonly Pick<ClientServerRow, "id" | "sid">[],
): Promise<void> {
  if (removed.length === 0) return;
  const sids = removed.map(({ sid }) => sid);
  const ids = removed.map(({ id }) => id);
  await lockLogs(db, sids);
  await db.delete(logs).where(inArray(logs.id, sids));
  await db.delete(events).where(inArray(events.logId, sids));
  await db.delete(clientServers).where(inArray(clientServers.id, ids));
  afterCommit.push(...goneHints(sids));
}
