import {
  actions,
  conversations,
  hasRow,
  invocations,
  messages,
  sandboxFunctions,
  tools,
} from "@parley/db";
import {
  type Invocation,
  type InvocationError,
  type InvocationEvent,
  type InvocationOutcome,
  type InvocationPage,
  type InvokedSandboxFunction,
  type ListInvocations,
  ParleyError,
} from "@parley/schema";
import { and, desc, eq, gte, isNull, or, type SQL, sql } from "drizzle-orm";
import { reachesConversation } from "../access/conversation-reach.ts";
import { belongsTo, seesAllOfWorkspace } from "../access/ownership.ts";
import type { Context } from "../context.ts";
import type { InvocationRow, SandboxFunctionRow } from "../data-access/rows.ts";
import {
  findSandboxFunction,
  getSandboxFunction,
  unknownFunction,
} from "../functions/sandbox-functions.ts";
import { isReachedServer } from "../tools/tool-administration.ts";

/** Invocations that a page looks at if few of them may be in it. */
const MAX_LOOKED_AT = 10_000;

/** The condition that the caller reaches the row's invocation: an agent's needs reach of its conversation. */
function reachesInvocation(context: Context): SQL | undefined {
  return or(
    and(isNull(invocations.actionId), belongsTo(context.caller, invocations)),
    hasRow(sql`
      from ${actions}
      join ${messages} on ${messages.sid} = ${actions.logId}
      join ${conversations} on ${conversations.id} = ${messages.conversationId}
      where ${actions.id} = ${invocations.actionId} and ${reachesConversation(context)}`),
  );
}

/** Names one invocation of a function. */
export interface InvocationReference {
  readonly functionId: string;
  readonly invocationId: string;
}

/** An invocation with its outcome, once it has one. Throws as `requireInvocation` does. */
export async function getInvocation(
  context: Context,
  input: InvocationReference,
): Promise<InvokedSandboxFunction> {
  const { row, sandboxFunction } = await requireInvocation(context, input);
  return renderInvoked(row, sandboxFunction.sid, renderOutcome(row));
}

/** Lists the invocations of a function that the caller reaches, the newest first, a page at a time. */
export async function listInvocations(
  context: Context,
  input: ListInvocations & { functionId: string },
): Promise<InvocationPage> {
  const { db } = context.database;
  const { limit, status } = input;
  const { caller } = context;
  const workspaceId = caller.workspace.id;
  const sandboxFunction = await getSandboxFunction(db, workspaceId, input.functionId);
  const { id, sid, status: state, createdAt } = invocations;
  const before = input.lastValue === undefined ? Number.MAX_SAFE_INTEGER : Number(input.lastValue);
  // A user's have an index. What a key reaches among those of others has none, and may be few.
  const isOfUser = caller.userToken && eq(invocations.ownerId, caller.user.id);
  const isSparse = isOfUser === undefined && !seesAllOfWorkspace(caller);
  const reached = reachesInvocation(context);
  const isReached = sql<boolean>`${isSparse ? reached : sql`true`}`.as("is_reached");
  const looked = db
    .select({ id, sid, status: state, createdAt, isReached })
    .from(invocations)
    .where(
      and(
        gte(invocations.functionId, sandboxFunction.id),
        sql`(${invocations.functionId}, ${id}) < (${sandboxFunction.id}, ${before})`,
        eq(invocations.workspaceId, workspaceId),
        isOfUser && and(eq(invocations.functionId, sandboxFunction.id), isOfUser),
        isSparse ? undefined : reached,
      ),
    )
    // Not by id alone: that would scan all invocations of the server for a function's few.
    .orderBy(desc(invocations.functionId), desc(id));
  const render = (row: Pick<InvocationRow, "sid" | "status" | "createdAt">) =>
    renderInvocation(row, sandboxFunction.sid);
  if (status === undefined && !isSparse) {
    const rows = await looked.limit(limit + 1);
    return toPage(rows.slice(0, limit), rows.length > limit, render);
  }
  // Few may have the status, or be reached, so the search for a page is bounded.
  const some = looked.limit(MAX_LOOKED_AT).as("some");
  const rows = await db
    .select()
    .from(some)
    .where(and(some.isReached, status === undefined ? undefined : eq(some.status, status)))
    .orderBy(desc(some.id))
    .limit(limit + 1);
  if (rows.length > limit) return toPage(rows.slice(0, limit), true, render);
  const [last] = await looked.limit(1).offset(MAX_LOOKED_AT - 1);
  return {
    ...toPage(rows, last !== undefined, render),
    ...(last !== undefined && { lastValue: String(last.id) }),
  };
}

function toPage<Row extends { id: number }>(
  rows: readonly Row[],
  hasMore: boolean,
  render: (row: Row) => InvocationPage["invocations"][number],
): InvocationPage {
  const lastValue = rows.at(-1)?.id.toString() ?? null;
  return { invocations: rows.map(render), hasMore, lastValue };
}

/** An invocation that the caller reaches. */
interface ReachedInvocation {
  readonly row: InvocationRow;
  /** It may be archived. */
  readonly sandboxFunction: SandboxFunctionRow;
  /** Number of the space of the conversation whose agent invoked it; null if there is none. */
  readonly spaceId: number | null;
}

/**
 * An invocation that the caller reaches, and its function. Throws `sandbox_function_not_found`, or
 * `sandbox_function_invocation_not_found`, also for another function's invocation.
 */
export async function requireInvocation(
  context: Context,
  { functionId, invocationId }: InvocationReference,
): Promise<ReachedInvocation> {
  const { db } = context.database;
  const workspaceId = context.caller.workspace.id;
  const sandboxFunction = await requireInvoked(context, functionId);
  // The calls of agents are read in their conversations.
  const isCall = sandboxFunction.toolId !== null;
  const ofFunction = and(
    eq(invocations.workspaceId, workspaceId),
    eq(invocations.functionId, sandboxFunction.id),
  );
  const [found] = await db
    .select({ row: invocations, spaceId: conversations.spaceId })
    .from(invocations)
    .leftJoin(actions, eq(actions.id, invocations.actionId))
    .leftJoin(messages, eq(messages.sid, actions.logId))
    .leftJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(
      and(
        ofFunction,
        eq(invocations.sid, invocationId),
        or(
          and(isNull(invocations.actionId), belongsTo(context.caller, invocations)),
          isCall ? undefined : reachesConversation(context),
        ),
      ),
    );
  if (found === undefined) throw unknownInvocation();
  return { ...found, sandboxFunction };
}

/**
 * A function of the workspace, or the one that calls a server, by its id or by that of the server's tool, if
 * the caller reaches the tool. Throws `sandbox_function_not_found`.
 */
async function requireInvoked(
  { caller, database: { db } }: Context,
  named: string,
): Promise<SandboxFunctionRow> {
  const { workspace } = caller;
  const found = await findSandboxFunction(db, workspace.id, named);
  if (found !== undefined) return found;
  const [called] = await db
    .select({ row: sandboxFunctions })
    .from(sandboxFunctions)
    .innerJoin(tools, eq(tools.id, sandboxFunctions.toolId))
    .where(
      and(
        eq(sandboxFunctions.workspaceId, workspace.id),
        or(eq(sandboxFunctions.sid, named), eq(sandboxFunctions.slug, named)),
        isReachedServer(caller),
      ),
    );
  if (called === undefined) throw unknownFunction();
  return called.row;
}

/** The error for an invocation that is unknown, another function's, or not reached. */
export function unknownInvocation(): ParleyError {
  return new ParleyError(
    "sandbox_function_invocation_not_found",
    "The function has no such invocation",
  );
}

/** An invocation as the wire shows it. */
export function renderInvocation(
  row: Pick<InvocationRow, "sid" | "status" | "createdAt">,
  functionId: string,
): Invocation {
  const createdAt = new Date(row.createdAt).toISOString();
  return { sId: row.sid, functionId, status: row.status, createdAt };
}

/** How an invocation ended; undefined while it has not. */
export function renderOutcome(
  row: Pick<InvocationRow, "status" | "result" | "error">,
): InvocationOutcome | undefined {
  if (row.status === "created") return undefined;
  if (row.error !== null) return { status: "errored", error: row.error };
  const result: unknown = JSON.parse(row.result ?? "null");
  return { status: "succeeded", result };
}

/** The response about an invocation, with its outcome once it has one. */
export function renderInvoked(
  row: Omit<InvocationRow, "id">,
  functionId: string,
  outcome: InvocationOutcome | undefined,
): InvokedSandboxFunction {
  const invocation = renderInvocation(row, functionId);
  if (outcome === undefined) return { invocation };
  return { invocation: { ...invocation, status: outcome.status }, outcome };
}

/** The event that ends a failed invocation. */
export function errorEvent(
  { sid, functionSid }: { readonly sid: string; readonly functionSid: string },
  created: number,
  error: InvocationError,
): InvocationEvent {
  const type = "sandbox_function_invocation_error";
  return { type, created, invocationId: sid, functionId: functionSid, error };
}
