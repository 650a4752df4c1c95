import { invocations, type Queryable } from "@parley/db";
import {
  type InvocationPage,
  type InvokedSandboxFunction,
  type ListInvocations,
  ParleyError,
} from "@parley/schema";
import { and, desc, eq, gte, sql } from "drizzle-orm";
import type { Context } from "./context.ts";
import { renderInvocation, renderInvoked, renderOutcome } from "./render-invocation.ts";
import type { InvocationRow, SandboxFunctionRow } from "./rows.ts";
import { getSandboxFunction } from "./sandbox-functions.ts";

/** Invocations that one page of those in a certain state looks at. */
const MAX_LOOKED_AT = 10_000;

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

/** Lists the invocations of a function, the newest first, a page at a time. */
export async function listInvocations(
  context: Context,
  input: ListInvocations & { functionId: string },
): Promise<InvocationPage> {
  const { db } = context.database;
  const { limit, status } = input;
  const workspaceId = context.caller.workspace.id;
  const sandboxFunction = await getSandboxFunction(db, workspaceId, input.functionId);
  const { id, sid, status: state, createdAt } = invocations;
  const before = input.lastValue === undefined ? Number.MAX_SAFE_INTEGER : Number(input.lastValue);
  const looked = db
    .select({ id, sid, status: state, createdAt })
    .from(invocations)
    .where(
      and(
        gte(invocations.functionId, sandboxFunction.id),
        sql`(${invocations.functionId}, ${id}) < (${sandboxFunction.id}, ${before})`,
        eq(invocations.workspaceId, workspaceId),
      ),
    )
    // Not by id alone: all invocations of the server would be gone through for a function's few.
    .orderBy(desc(invocations.functionId), desc(id));
  const render = (row: Pick<InvocationRow, "sid" | "status" | "createdAt">) =>
    renderInvocation(row, sandboxFunction.sid);
  if (status === undefined) {
    const rows = await looked.limit(limit + 1);
    return toPage(rows.slice(0, limit), rows.length > limit, render);
  }
  // Few may be in the state: how far a page looks for them is bounded.
  const some = looked.limit(MAX_LOOKED_AT).as("some");
  const rows = await db
    .select()
    .from(some)
    .where(eq(some.status, status))
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

/**
 * An invocation and its function, which may be archived. Throws `sandbox_function_not_found`, or
 * `sandbox_function_invocation_not_found`, also for another function's invocation.
 */
export async function requireInvocation(
  context: Context,
  { functionId, invocationId }: InvocationReference,
): Promise<{ row: InvocationRow; sandboxFunction: SandboxFunctionRow }> {
  const { db } = context.database;
  const workspaceId = context.caller.workspace.id;
  const sandboxFunction = await getSandboxFunction(db, workspaceId, functionId);
  return { row: await findInvocation(db, sandboxFunction, invocationId), sandboxFunction };
}

async function findInvocation(
  db: Queryable,
  { id, workspaceId }: SandboxFunctionRow,
  sid: string,
): Promise<InvocationRow> {
  const ofFunction = and(eq(invocations.workspaceId, workspaceId), eq(invocations.functionId, id));
  const [row] = await db
    .select()
    .from(invocations)
    .where(and(ofFunction, eq(invocations.sid, sid)));
  if (row === undefined) {
    throw new ParleyError(
      "sandbox_function_invocation_not_found",
      "The function has no such invocation",
    );
  }
  return row;
}
