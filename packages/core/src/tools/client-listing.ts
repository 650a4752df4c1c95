/** How a server in a client is asked for its tools: each answer leads to the next request. */
import { clientServers } from "@parley/db";
import { readMcpInitialized, readMcpToolList } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Context } from "../context.ts";
import type { Transaction } from "../log/transaction.ts";
import {
  appendToServer,
  type ClientRequestRow,
  type ClientServerRow,
  messageEvent,
  sendClientRequest,
} from "./client-requests.ts";
import { INITIALIZE } from "./client-servers.ts";
import { checkTools } from "./refresh-tools.ts";

/** Tools of one server. */
const MAX_TOOLS = 128;
const MAX_TOOLS_BYTES = 262_144;
const MAX_TEXT = 4096;

type Offer = NonNullable<ClientServerRow["offer"]>;
/** What to do with an answer under its server's lock, and what was left out of it. */
export interface ReadAnswer {
  readonly take: (transaction: Transaction, server: ClientServerRow) => Promise<void>;
  readonly fault?: string | null;
}

const nothing: Offer = { name: "", version: "", description: "", tools: [] };

/**
 * Reads the answer to a request of the listing, and gives what to do with it under the server's lock. An
 * error, or what is not such an answer, ends the listing with what has come.
 */
export async function readListing(
  context: Context,
  {
    server,
    request,
    result,
  }: { server: ClientServerRow; request: ClientRequestRow; result: unknown },
): Promise<ReadAnswer> {
  if (request.method === INITIALIZE) return readInitialized(context, result);
  const page = readMcpToolList(result);
  const before = server.pending ?? server.offer ?? nothing;
  if (!page.success) return { take: (transaction, locked) => keep(transaction, locked, before) };
  const { fault, ...offer } = await addPage(context, before, page.data.tools);
  const { nextCursor: cursor } = page.data;
  const isMore = cursor !== undefined && offer.tools.length > before.tools.length;
  const take: ReadAnswer["take"] = (transaction, locked) =>
    isMore
      ? ask(context, transaction, { server: locked, pending: offer, params: { cursor } })
      : keep(transaction, locked, offer);
  return { take, fault };
}

/** Asks a server for its tools again, because it said that they have changed. */
export async function relist(
  context: Context,
  transaction: Transaction,
  server: ClientServerRow,
): Promise<void> {
  // A listing that is under way reads them.
  if (server.offer === null || server.pending !== null) return;
  const pending = { ...server.offer, tools: [] };
  await ask(context, transaction, { server, pending, params: {} });
}

function readInitialized(context: Context, result: unknown): ReadAnswer {
  const parsed = readMcpInitialized(result);
  if (!parsed.success) return { take: (transaction, server) => keep(transaction, server, nothing) };
  const { serverInfo, instructions = "", capabilities } = parsed.data;
  const pending: Offer = {
    name: bounded(serverInfo.title ?? serverInfo.name),
    version: bounded(serverInfo.version),
    description: bounded(instructions),
    tools: [],
  };
  const initialized = messageEvent({ method: "notifications/initialized" });
  const take: ReadAnswer["take"] = async (transaction, server) => {
    if (capabilities.tools !== undefined) {
      await ask(context, transaction, { server, pending, params: {}, before: [initialized] });
      return;
    }
    await appendToServer(transaction, server, [initialized]);
    await keep(transaction, server, pending);
  };
  return { take };
}

interface Asked {
  readonly server: ClientServerRow;
  readonly pending: Offer;
  readonly params: Record<string, unknown>;
  readonly before?: readonly ReturnType<typeof messageEvent>[];
}

async function ask(
  context: Context,
  transaction: Transaction,
  { server, pending, params, before = [] }: Asked,
): Promise<void> {
  const listings = server.listings + 1;
  const next = { listings, pending };
  await transaction.db.update(clientServers).set(next).where(eq(clientServers.id, server.id));
  const request = { id: `tools-${listings}`, method: "tools/list", params } as const;
  await sendClientRequest(context, transaction, { server, before, ...request });
}

async function keep(
  transaction: Transaction,
  server: ClientServerRow,
  offer: Offer,
): Promise<void> {
  const listed = { offer, pending: null };
  await transaction.db.update(clientServers).set(listed).where(eq(clientServers.id, server.id));
  await appendToServer(transaction, server, [{ type: "client_server_listed" }]);
}

/** Adds the usable tools of a page: those with new names and sound schemas, within the bounds. */
async function addPage(
  context: Context,
  before: Offer,
  tools: NonNullable<ReturnType<typeof readMcpToolList>["data"]>["tools"],
): Promise<Offer & { readonly fault: string | null }> {
  const known = new Map(before.tools.map((tool) => [tool.name, tool]));
  let bytes = Buffer.byteLength(JSON.stringify(before.tools));
  const fresh = [];
  for (const { name, description = "", inputSchema, execution } of tools) {
    const tool = { name, description, inputSchema };
    bytes += Buffer.byteLength(JSON.stringify(tool));
    if (known.size === MAX_TOOLS || bytes > MAX_TOOLS_BYTES) break;
    if (known.has(name)) continue;
    known.set(name, tool);
    fresh.push({ ...tool, requiresTask: execution?.taskSupport === "required" });
  }
  const { caller, threads, signal } = context;
  const options = { workspaceId: caller.workspace.id, origin: "request", signal } as const;
  const server = { name: before.name, version: before.version };
  const checked = await checkTools({ threads }, { server, tools: fresh }, options);
  return { ...before, tools: [...before.tools, ...checked.tools], fault: checked.fault };
}

function bounded(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}
