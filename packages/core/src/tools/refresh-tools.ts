import { type Queryable, toolConnections, tools } from "@parley/db";
import type { McpServer } from "@parley/mcp";
import { canonicalJson, type ToolServer } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import { findSchemaFault } from "../functions/json-schema/validate.ts";
import { inTransaction } from "../log/transaction.ts";
import type { CallOptions } from "../untrusted/threads.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { readCallingUser } from "./calling-user.ts";
import {
  type ConnectionRow,
  findConnection,
  isPersonal,
  type StoredConnection,
  type ServerRow,
} from "./tool-connections.ts";
import { type CalledFor, useServer } from "./open-servers.ts";
import type { ListedTool, ListedTools, ToolServerFailure, ToolServices } from "./tool-servers.ts";

const LIST_TIMEOUT_MS = 15_000;
const MAX_LIST_BYTES = 2 * 1024 * 1024;
const MAX_NAME = 255;
const MAX_DESCRIPTION = 4096;
const MAX_FAULT = 1000;

type RefreshProcess = Process & SecretServices & ToolServices;

/** What a server offers, and what of it was left out. */
export interface Offer extends Pick<ToolServer, "name" | "version" | "description" | "tools"> {
  readonly fault: string | null;
  /** How long it says that this holds. */
  readonly ttlMs?: number | undefined;
}

/** Asks a server for its tools. A tool whose schema is not usable is left out. Fails as a value. */
export async function askForTools(
  core: Pick<RefreshProcess, "threads" | "toolServers">,
  server: McpServer,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<Offer | ToolServerFailure> {
  const { signal } = options;
  const limits = { timeoutMs: LIST_TIMEOUT_MS, maxBytes: MAX_LIST_BYTES, signal };
  const listed = await core.toolServers.listTools(server, limits);
  if (listed.type === "failed") return listed;
  return { ...(await checkTools(core, listed, options)), ttlMs: listed.ttlMs };
}

/** The tools of a listing that can be used: each has a sound schema of an object, and is called directly. */
export async function checkTools(
  core: Pick<Process, "threads">,
  { server, tools: listed }: Omit<ListedTools, "type">,
  options: CallOptions,
): Promise<Offer> {
  const usable: ToolServer["tools"] = [];
  const faults: string[] = [];
  for (const tool of listed) {
    const { name, description, inputSchema } = tool;
    const fault = await findToolFault(core, tool, options);
    if (fault === undefined) usable.push({ name, description, inputSchema: { ...inputSchema } });
    else faults.push(`${name}: ${fault}`);
  }
  const fault = faults.length === 0 ? null : `Left out: ${faults.join("; ")}`;
  return {
    name: (server.title ?? server.name).slice(0, MAX_NAME).toWellFormed(),
    version: server.version.slice(0, MAX_NAME).toWellFormed(),
    description: (server.instructions ?? "").slice(0, MAX_DESCRIPTION).toWellFormed(),
    tools: usable,
    fault: fault && fault.slice(0, MAX_FAULT).toWellFormed(),
  };
}

async function findToolFault(
  core: Pick<Process, "threads">,
  { inputSchema, requiresTask }: ListedTool,
  options: CallOptions,
): Promise<string | undefined> {
  if (requiresTask === true) return "it runs only as a task, which is not supported";
  const given = { schema: inputSchema, root: "inputSchema" };
  if (inputSchema["type"] !== "object") return `${given.root}.type: must be "object"`;
  const fault = await findSchemaFault(core.threads, given, options);
  return fault && `${fault.path}: ${fault.message}`;
}

/**
 * Asks the server of a tool for its tools now, and keeps what has changed as a new version of the tool. A
 * failure is kept as the connection's fault, and leaves the tools as they were.
 */
export async function refreshServer(
  core: RefreshProcess,
  { tool, connection }: Pick<StoredConnection, "tool" | "connection">,
  options: CallOptions & CalledFor,
): Promise<Offer | ToolServerFailure> {
  const offer = await useServer(core, { tool, connection }, options, (server) =>
    askForTools(core, server, options),
  );
  await inTransaction(core, async ({ db }) => {
    const fault = "type" in offer ? offer.message.slice(0, MAX_FAULT) : offer.fault;
    const stored = await lockConnection(db, tool.id);
    // Another server may have been set, or the tool removed, while this one was asked.
    if (stored?.connection.url !== connection.url) return;
    if (!("type" in offer)) await keepOffer(core, db, stored.tool, offer);
    await db
      .update(toolConnections)
      .set({ fault, refreshedAt: core.now() })
      .where(eq(toolConnections.toolId, tool.id));
  });
  // One that has failed has promised nothing.
  const ttlMs = "type" in offer ? undefined : offer.ttlMs;
  core.listLifetimes.remember({ toolId: tool.id, url: connection.url, ttlMs });
  return offer;
}

async function lockConnection(
  db: Queryable,
  toolId: number,
): Promise<{ tool: ServerRow; connection: ConnectionRow } | undefined> {
  const [tool] = await db.select().from(tools).where(eq(tools.id, toolId)).for("update");
  const [connection] = await db
    .select()
    .from(toolConnections)
    .where(eq(toolConnections.toolId, toolId));
  return tool && connection && { tool, connection };
}

async function keepOffer(
  core: Pick<Process, "now">,
  db: Queryable,
  tool: ServerRow,
  { fault: _fault, ttlMs: _ttlMs, ...offer }: Offer,
): Promise<void> {
  const server = { ...tool.server, ...offer };
  // jsonb keeps no order of members, so both are compared without.
  if (canonicalJson(server) === canonicalJson(tool.server)) return;
  await db
    .update(tools)
    .set({ server, version: tool.version + 1, updatedAt: core.now() })
    .where(eq(tools.id, tool.id));
}

interface UsedTool {
  readonly toolId: number;
  /** The call that has used it. */
  readonly invocationId?: string;
  /** Whether its server said that its tools have changed. */
  readonly changed?: boolean;
}

/**
 * Asks the servers of tools that are used again, unless their list still holds: for ten minutes, or as long as
 * they have said. `changed` ones, which said so, are asked at once. Of several processes, one asks.
 */
export async function refreshUsedServer(
  core: RefreshProcess,
  { toolId, invocationId, changed = false }: UsedTool,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const now = core.now();
  const isDue = changed ? undefined : core.listLifetimes.hasEnded(toolId, now);
  const [due] = await core.database.db
    .update(toolConnections)
    .set({ refreshedAt: now })
    .where(and(eq(toolConnections.toolId, toolId), isDue))
    .returning({ toolId: toolConnections.toolId });
  if (due === undefined) return;
  const stored = await findConnection(core.database.db, toolId);
  if (stored === undefined) return;
  const isOfUser = invocationId !== undefined && isPersonal(stored.connection);
  const userId = isOfUser ? await readCallingUser(core, invocationId) : null;
  await refreshServer(core, stored, { ...options, userId });
}
