import { type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import type {
  AdministeredFunctionPage,
  ListAdministeredFunctions,
  ListSandboxFunctions,
  SandboxFunctionPage,
} from "@parley/schema";
import { and, asc, eq, getTableColumns, gt, isNull } from "drizzle-orm";
import type { Context, RequestContext } from "../context.ts";
import type { SandboxFunctionRow } from "../data-access/rows.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { type InvocableFunction, renderFunction } from "./sandbox-functions.ts";
import { takePage } from "../data-access/pages.ts";

/** Lists the workspace's functions that can be invoked, by slug, a page at a time. */
export async function listSandboxFunctions(
  context: Context,
  input: ListSandboxFunctions,
): Promise<SandboxFunctionPage> {
  const { workspace } = context.caller;
  const { rows, ...end } = await readPage(context.database.db, workspace.id, {
    ...input,
    status: "active",
  });
  return { sandboxFunctions: rows.map(renderFunction), ...end };
}

/** Lists the workspace's functions, also archived ones, by slug, a page at a time. */
export async function listAdministeredFunctions(
  context: RequestContext,
  input: ListAdministeredFunctions,
): Promise<AdministeredFunctionPage> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const { rows, ...end } = await readPage(db, workspace.id, input);
  const listed = rows.map((row) => ({ ...renderFunction(row), status: row.status }));
  return { sandboxFunctions: listed, ...end };
}

// Programs may be large.
const { program: _program, ...definition } = getTableColumns(sandboxFunctionVersions);

async function readPage(
  db: Queryable,
  workspaceId: number,
  page: ListSandboxFunctions & { status?: SandboxFunctionRow["status"] | undefined },
) {
  const { status, lastValue, limit } = page;
  const current = and(
    eq(sandboxFunctionVersions.functionId, sandboxFunctions.id),
    eq(sandboxFunctionVersions.version, sandboxFunctions.version),
  );
  const found = await db
    .select({ identity: sandboxFunctions, definition })
    .from(sandboxFunctions)
    .innerJoin(sandboxFunctionVersions, current)
    .where(
      and(
        eq(sandboxFunctions.workspaceId, workspaceId),
        isNull(sandboxFunctions.toolId),
        isNull(sandboxFunctions.clientUserId),
        status && eq(sandboxFunctions.status, status),
        lastValue === undefined ? undefined : gt(sandboxFunctions.slug, lastValue),
      ),
    )
    .orderBy(asc(sandboxFunctions.slug))
    .limit(limit + 1);
  const { page: shown, end } = takePage(found, page, ({ identity }) => identity.slug);
  const rows = shown.map((row): InvocableFunction => ({
    ...row.identity,
    definition: row.definition,
  }));
  return { rows, ...end };
}
