import { sandboxFunctionVersions, users } from "@parley/db";
import type { FunctionVersionPage, ListFunctionVersions } from "@parley/schema";
import { and, desc, eq, getTableColumns, gte, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { FunctionVersionRow } from "../data-access/rows.ts";
import { isOlder, takeSizedPage } from "../data-access/pages.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { renderProgram } from "./programs.ts";
import { getSandboxFunction } from "./sandbox-functions.ts";

const { functionId, version, program, inputSchema, outputSchema } = sandboxFunctionVersions;
// Nobody reads the bundle, which is as large as its sources.
const written = sql<FunctionVersionRow["program"]>`${program} - 'bundle'`;
const columns = { ...getTableColumns(sandboxFunctionVersions), program: written };
/** Bytes of the versions down to that of the row. */
const bytes = sql<number>`(sum(
  octet_length((${written})::text) + coalesce(octet_length(${inputSchema}::text), 0)
    + coalesce(octet_length(${outputSchema}::text), 0)
) over (order by ${version} desc))::float8`;

/**
 * Lists the versions of a function with their definitions, the newest first, a page at a time; a page of
 * several is bounded in bytes. Throws `sandbox_function_not_found`.
 */
export async function listFunctionVersions(
  context: RequestContext,
  input: ListFunctionVersions,
): Promise<FunctionVersionPage> {
  const { db } = context.database;
  const { lastValue, limit } = input;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const { id } = await getSandboxFunction(db, workspace.id, input.functionId);
  const ofPlace = and(eq(functionId, id), isOlder(version, lastValue));
  const sizes = await db
    .select({ version, bytes })
    .from(sandboxFunctionVersions)
    .where(ofPlace)
    .orderBy(desc(version))
    .limit(limit + 1);
  const { last, hasMore } = takeSizedPage(sizes, limit);
  if (last === undefined) return { versions: [], hasMore: false, lastValue: null };
  const rows = await db
    .select({ row: columns, editor: { sId: users.sid, name: users.fullName } })
    .from(sandboxFunctionVersions)
    .leftJoin(users, eq(users.id, sandboxFunctionVersions.editedBy))
    .where(and(ofPlace, gte(version, last.version)))
    .orderBy(desc(version));
  return {
    versions: rows.map(({ row, editor }) => renderVersion(row, editor)),
    hasMore,
    lastValue: String(last.version),
  };
}

function renderVersion(
  { functionId: _functionId, editedBy: _editedBy, ...row }: FunctionVersionRow,
  editor: FunctionVersionPage["versions"][number]["editor"],
): FunctionVersionPage["versions"][number] {
  return { ...row, program: renderProgram(row.program), editor };
}
