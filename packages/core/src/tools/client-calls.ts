/** Calls of the tools of servers in clients: requests that are sent once, whichever worker waits. */
import { clientRequests, clientServers } from "@parley/db";
import { readMcpCallResult } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import { followLog } from "../log/follow.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { inTransaction } from "../log/transaction.ts";
import { type HeldLog, readHeldLog } from "../runs/leases.ts";
import {
  cancelClientRequests,
  type ClientRequestRow,
  type ClientServerRow,
  lockClientServer,
  sendClientRequest,
} from "./client-requests.ts";
import type { ToolCall, ToolCallOptions, ToolResult, ToolServerFailure } from "./tool-servers.ts";

/** A call of a tool in a client, by one invocation. */
interface ClientCall {
  readonly serverId: string;
  /** The invocation, and the attempt that holds it. */
  readonly run: HeldLog;
  readonly call: ToolCall;
}

/** Calls a server in a client through its log: once, whichever attempt waits. */
export async function callClientTool(
  core: Process,
  called: ClientCall,
  options: ToolCallOptions,
): Promise<ToolResult | ToolServerFailure> {
  const { timeoutMs, signal } = options;
  const startedAt = core.now();
  const sent = await send(core, called);
  if (sent === undefined) return gone;
  const { request, serverId: server } = sent;
  const deadline = Math.min(startedAt, request.createdAt) + timeoutMs;
  for (let after = request.seq; ;) {
    const state = await readState(core, request);
    if (state === undefined) return gone;
    if (state.settledAt !== null) return readAnswer(state.answer);
    if (signal.aborted) return { type: "failed", code: "cancelled", message: "Cancelled" };
    const now = core.now();
    if (now >= state.expiresAt) return gone;
    if (now >= deadline) {
      const ended = { ids: [request.id], reason: "No answer in time" };
      await inTransaction(core, (transaction) => cancelClientRequests(core, transaction, ended));
      // It may have been answered in the meantime.
      continue;
    }
    const waitMs = Math.min(deadline, state.expiresAt) - now;
    after = await waitForEnd(core, { server, id: request.id, after, waitMs, options });
  }
}

/** Sends the call, unless an earlier attempt has; undefined if the server is gone. */
async function send(
  core: Process,
  { serverId, run, call: { name, arguments: given, traceparent } }: ClientCall,
): Promise<{ request: ClientRequestRow; serverId: string } | undefined> {
  return inTransaction(core, async (transaction) => {
    const { db } = transaction;
    // Under this lock the invocation is not cancelled, and is not another attempt's.
    await lockLogs(db, [run.logId]);
    await readHeldLog(db, run);
    const server = await lockClientServer(core, db, serverId);
    if (server === undefined) return undefined;
    const id = run.logId;
    const params = {
      name,
      arguments: given,
      _meta: { progressToken: id, ...(traceparent && { traceparent }) },
    };
    const call = { server, id, method: "tools/call", params } as const;
    return { request: await sendClientRequest(core, transaction, call), serverId };
  });
}

type State = Pick<ClientRequestRow, "answer" | "settledAt"> & Pick<ClientServerRow, "expiresAt">;

async function readState(
  { database }: Pick<Process, "database">,
  { serverId, id }: ClientRequestRow,
): Promise<State | undefined> {
  const { answer, settledAt } = clientRequests;
  const [row] = await database.db
    .select({ answer, settledAt, expiresAt: clientServers.expiresAt })
    .from(clientRequests)
    .innerJoin(clientServers, eq(clientServers.id, clientRequests.serverId))
    .where(and(eq(clientRequests.serverId, serverId), eq(clientRequests.id, id)));
  return row;
}

/** Waits until the request has ended, at most `waitMs`. Gives the number of the last event that was seen. */
async function waitForEnd(
  core: Process,
  wait: { server: string; id: string; after: number; waitMs: number; options: ToolCallOptions },
): Promise<number> {
  const { server: logId, id, waitMs, options } = wait;
  let { after } = wait;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(waitMs)]);
  for await (const events of followLog(core, { logId, after, signal })) {
    for (const { seq, type, payload } of events) {
      after = seq;
      if (type !== "client_server_settled" && type !== "client_server_progress") continue;
      // Written by `appendToServer`.
      const event = JSON.parse(payload) as { id: string; progress: number };
      if (event.id !== id) continue;
      if (type === "client_server_settled") return after;
      options.onProgress?.(event);
    }
  }
  return after;
}

const gone: ToolServerFailure = {
  type: "failed",
  code: "unreachable",
  message: "The client with this tool is gone: it has sent no heartbeat for five minutes",
};

function readAnswer(json: string | null): ToolResult | ToolServerFailure {
  if (json === null) {
    return { type: "failed", code: "timed_out", message: "The client did not answer in time" };
  }
  // A response, as `answerAsClientServer` stores it.
  const message = JSON.parse(json) as { error?: { message: string }; result?: unknown };
  if (message.error !== undefined) {
    const said = message.error.message.slice(0, 500).toWellFormed();
    return { type: "failed", code: "rejected", message: `The client answered: ${said}` };
  }
  const parsed = readMcpCallResult(message.result);
  if (!parsed.success) {
    const why = "The client's answer is not a tool result";
    return { type: "failed", code: "bad_answer", message: why };
  }
  const { content, structuredContent, isError = false } = parsed.data;
  return {
    type: "result",
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    isError,
    toolsChanged: false,
  };
}
