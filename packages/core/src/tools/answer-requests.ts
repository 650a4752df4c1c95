/** What servers in clients say. Nothing of it is trusted: it is parsed, and bound to what was asked. */
import { clientRequests } from "@parley/db";
import {
  type AnswerAsClientServer,
  type AnsweredAsClientServer,
  invalidRequest,
  type McpMessage,
  readMcpMessage,
  readMcpProgress,
} from "@parley/schema";
import { and, eq, isNull } from "drizzle-orm";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { type ReadAnswer, readListing, relist } from "./client-listing.ts";
import {
  appendToServer,
  type ClientRequestRow,
  type ClientServerRow,
  lockClientServer,
  settleClientRequest,
} from "./client-requests.ts";
import { requireClientServer, unknownClientServer } from "./client-servers.ts";

const MAX_PROGRESS_MESSAGE = 1024;

/**
 * Takes a message of the caller's server. Only the first response to a request counts; one to a request
 * that is not waited for changes nothing, as does what Parley does not know. Throws
 * `mcp_server_not_found`, and `invalid_request_error` for what is not a JSON-RPC message.
 */
export async function answerAsClientServer(
  context: KeyedContext,
  { serverId, result }: AnswerAsClientServer,
): Promise<AnsweredAsClientServer> {
  const server = await requireClientServer(context, { serverId });
  const parsed = readMcpMessage(result);
  if (!parsed.success) {
    const message = "must be a JSON-RPC message: a response with an id, or a notification";
    throw invalidRequest("body", [{ path: "result", message }]);
  }
  const message = parsed.data;
  const { take, fault } =
    "id" in message && !("method" in message)
      ? await prepareResponse(context, server, message)
      : { take: prepareNotification(context, message) };
  return inTransactionOnce(context, { id: serverId }, async (transaction) => {
    const locked = await lockClientServer(context, transaction.db, serverId);
    if (locked === undefined) throw unknownClientServer();
    await take(transaction, locked);
    if (fault === undefined || fault === null) return { success: true };
    return { success: true, warnings: [{ path: "result.result.tools", message: fault }] };
  });
}

type Take = ReadAnswer["take"];
type Response = Extract<McpMessage, { readonly id: string }>;

const ignore: Take = async () => {};

async function prepareResponse(
  context: KeyedContext,
  server: ClientServerRow,
  message: Response,
): Promise<ReadAnswer> {
  const request = await findOpenRequest(context, server, message.id);
  if (request === undefined) return { take: ignore };
  const { id, method } = request;
  // Schemas are checked by threads, which no transaction waits for.
  const list =
    method === "tools/call"
      ? undefined
      : await readListing(context, { server, request, result: message["result"] });
  const take: Take = async (transaction, locked) => {
    const answer = method === "tools/call" ? JSON.stringify(message) : null;
    const settled = { serverId: locked.id, id, answer };
    if (!(await settleClientRequest(context, transaction, settled))) return;
    if (list !== undefined) await list.take(transaction, locked);
    else await appendToServer(transaction, locked, [{ type: "client_server_settled", id }]);
  };
  return { take, fault: list?.fault ?? null };
}

function prepareNotification(context: KeyedContext, message: McpMessage): Take {
  const { method, params } = message as { method?: string; params?: unknown };
  if (method === "notifications/tools/list_changed") {
    return (transaction, server) => relist(context, transaction, server);
  }
  const progress = method === "notifications/progress" ? readMcpProgress(params) : undefined;
  if (progress?.success !== true) return ignore;
  const { progressToken: id, progress: done, total, message: label } = progress.data;
  return async (transaction, server) => {
    const request = await findOpenRequest({ database: { db: transaction.db } }, server, id);
    if (request?.method !== "tools/call") return;
    const text = label?.slice(0, MAX_PROGRESS_MESSAGE).toWellFormed();
    const report = { progress: done, total, message: text };
    await appendToServer(transaction, server, [{ type: "client_server_progress", id, ...report }]);
  };
}

async function findOpenRequest(
  { database }: { database: Pick<KeyedContext["database"], "db"> },
  { id: serverId }: ClientServerRow,
  id: string,
): Promise<ClientRequestRow | undefined> {
  const named = and(eq(clientRequests.serverId, serverId), eq(clientRequests.id, id));
  const [row] = await database.db
    .select()
    .from(clientRequests)
    .where(and(named, isNull(clientRequests.settledAt)));
  return row;
}
