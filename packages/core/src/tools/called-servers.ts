/** Servers whose tools turns call, wherever they run: registered ones, and those in clients. */
import { clientServers, type Queryable, sandboxFunctions, tools } from "@parley/db";
import type { Stake, ToolServer } from "@parley/schema";
import { and, eq, inArray, type SQL } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { SandboxFunction } from "../functions/sandbox-functions.ts";
import { followLog } from "../log/follow.ts";
import { isThere, selectClientServers } from "./client-requests.ts";
import {
  isPersonal,
  selectConnections,
  stakeOf,
  type StoredConnection,
} from "./tool-connections.ts";

/** How long after its registration a turn waits for a server to say what its tools are. */
const OFFER_MS = 10_000;

/** A server whose tools are called. */
export interface CalledServer {
  readonly sid: string;
  readonly name: string;
  readonly offered: ToolServer["tools"];
  /** The function that calls one of its tools. */
  readonly functionOf: (toolName: string) => SandboxFunction;
  readonly stakeOf: (toolName: string) => Stake;
  /** Members of the function's input, besides the name of the tool and its arguments. */
  readonly address: { readonly serverId?: string };
  /** Whether it can only be called for a user who has allowed it. */
  readonly isPersonal: boolean;
  /** Where it is kept which calls need no further approval. */
  readonly approvals:
    | { readonly toolId: number }
    | { readonly clientServerId: number; readonly approved: readonly string[] };
}

function toRemoteServer(stored: StoredConnection): CalledServer {
  const { tool, connection, caller, definition } = stored;
  return {
    sid: tool.sid,
    name: tool.name,
    offered: tool.server.tools,
    functionOf: (toolName) => {
      const retryable = connection.retryableTools.includes(toolName);
      return { ...caller, definition: { ...definition, retryable } };
    },
    stakeOf: (toolName) => stakeOf(connection, toolName),
    address: {},
    isPersonal: isPersonal(connection),
    approvals: { toolId: tool.id },
  };
}

type StoredClientServer = Awaited<ReturnType<typeof selectClientServers>>[number];

function toClientServer({ server, caller, definition }: StoredClientServer): CalledServer {
  const { id, sid, name, offer, approvedTools } = server;
  return {
    sid,
    name,
    offered: offer?.tools ?? [],
    functionOf: () => ({ ...caller, definition }),
    // Its own user approves.
    stakeOf: () => "low",
    address: { serverId: sid },
    isPersonal: false,
    approvals: { clientServerId: id, approved: approvedTools },
  };
}

/** The registered servers with these numbers, in their order. */
export async function readRemoteServers(
  { database }: Pick<Process, "database">,
  { workspaceId, toolIds }: { workspaceId: number; toolIds: readonly number[] },
): Promise<CalledServer[]> {
  if (toolIds.length === 0) return [];
  const rows = await selectConnections(database.db).where(
    and(eq(tools.workspaceId, workspaceId), inArray(tools.id, [...toolIds])),
  );
  const byId = new Map(rows.map((row) => [row.tool.id, row]));
  return toolIds.flatMap((id) => byId.get(id) ?? []).map(toRemoteServer);
}

/**
 * The servers in clients with these ids that are there, in their order. Waits for those that were
 * registered a moment ago to say what their tools are.
 */
export async function readClientServers(
  core: Process,
  { workspaceId, ids }: { workspaceId: number; ids: readonly string[] },
  signal: AbortSignal,
): Promise<CalledServer[]> {
  if (ids.length === 0) return [];
  const read = async () => {
    const rows = await findClientServers(core, workspaceId, inArray(clientServers.sid, [...ids]));
    return rows.toSorted((a, b) => ids.indexOf(a.server.sid) - ids.indexOf(b.server.sid));
  };
  const rows = await read();
  const silent = rows.filter(({ server }) => server.offer === null);
  if (silent.length === 0) return rows.map(toClientServer);
  await Promise.all(silent.map((row) => waitForOffer(core, row, signal)));
  return (await read()).map(toClientServer);
}

async function findClientServers(core: Process, workspaceId: number, named: SQL) {
  const inWorkspace = eq(clientServers.workspaceId, workspaceId);
  return selectClientServers(core.database.db).where(and(inWorkspace, named, isThere(core)));
}

async function waitForOffer(
  core: Process,
  { server }: StoredClientServer,
  stop: AbortSignal,
): Promise<void> {
  const waitMs = server.createdAt + OFFER_MS - core.now();
  if (waitMs <= 0) return;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(waitMs)]);
  for await (const events of followLog(core, { logId: server.sid, after: 0, signal })) {
    if (events.some(({ type }) => type === "client_server_listed")) return;
  }
}

/** The server that a stored call names; undefined if it is gone. */
export async function findCalledServer(
  core: Pick<Process, "now"> & { readonly db: Queryable },
  { workspaceId, mcpServerId }: { workspaceId: number; mcpServerId: string },
): Promise<CalledServer | undefined> {
  const isActive = eq(sandboxFunctions.status, "active");
  const [remote] = await selectConnections(core.db).where(
    and(eq(tools.workspaceId, workspaceId), eq(tools.sid, mcpServerId), isActive),
  );
  if (remote !== undefined) return toRemoteServer(remote);
  const inWorkspace = eq(clientServers.workspaceId, workspaceId);
  const [client] = await selectClientServers(core.db).where(
    and(inWorkspace, eq(clientServers.sid, mcpServerId), isThere(core)),
  );
  return client && toClientServer(client);
}
