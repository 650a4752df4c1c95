import {
  insertRow,
  type Queryable,
  sandboxFunctions,
  sandboxFunctionVersions,
  statement,
} from "@parley/db";
import { ParleyError, type SandboxFunction as RenderedFunction } from "@parley/schema";
import { sql } from "drizzle-orm";
import { fromColumns } from "../data-access/row-json.ts";
import type { FunctionVersionRow, SandboxFunctionRow } from "../data-access/rows.ts";

/** A function in one of its versions. */
export type SandboxFunction = SandboxFunctionRow & { readonly definition: FunctionVersionRow };

/** A function without its program, which may be large and which only workers need. */
export type InvocableFunction = SandboxFunctionRow & {
  readonly definition: Omit<FunctionVersionRow, "program">;
};

// An id is never a slug. Each has an index of its own. The callers of MCP servers are nobody's functions.
const findStatement = statement<
  { workspaceId: number; name: string; version: number | null },
  { identity: object; definition: object }
>(
  "find_sandbox_function",
  sql`
  select to_json(f) as identity, to_json(d) as definition
  from (
    select * from sandbox_functions
    where workspace_id = ${sql.placeholder("workspaceId")} and sid = ${sql.placeholder("name")}
      and tool_id is null and client_user_id is null
    union all
    select * from sandbox_functions
    where workspace_id = ${sql.placeholder("workspaceId")} and slug = ${sql.placeholder("name")}
      and tool_id is null and client_user_id is null
  ) f
  join lateral (
    select function_id, version, description, input_schema, output_schema, timeout_ms,
      max_output_bytes, max_log_lines, max_concurrent, retryable, requires_approval, edited_by, created_at
    from sandbox_function_versions v where v.function_id = f.id
      and v.version = coalesce(${sql.placeholder("version")}::int, f.version)
  ) d on true`,
);

/**
 * The workspace's function with this id or slug, archived or not, in its current version. Throws
 * `sandbox_function_not_found`.
 */
export async function getSandboxFunction(
  db: Queryable,
  workspaceId: number,
  idOrSlug: string,
): Promise<InvocableFunction> {
  const found = await findSandboxFunction(db, workspaceId, idOrSlug);
  if (found === undefined) throw unknownFunction();
  return found;
}

/** The same, or in the named version; undefined if there is none. */
export async function findSandboxFunction(
  db: Queryable,
  workspaceId: number,
  idOrSlug: string,
  version: number | null = null,
): Promise<InvocableFunction | undefined> {
  const [row] = await findStatement.execute(db, { workspaceId, name: idOrSlug, version });
  if (row === undefined) return undefined;
  const definition = fromColumns<InvocableFunction["definition"]>(row.definition);
  return { ...fromColumns<SandboxFunctionRow>(row.identity), definition };
}

/** The error for a function that does not exist, or that cannot be invoked. */
export function unknownFunction(): ParleyError {
  return new ParleyError("sandbox_function_not_found", "The workspace has no such function");
}

/** A function to insert. */
export type NewFunction = Pick<SandboxFunctionRow, "sid" | "workspaceId" | "slug" | "createdAt"> &
  Omit<typeof sandboxFunctionVersions.$inferInsert, "functionId" | "version">;

/** Inserts functions in their first version. */
export async function insertSandboxFunctions(
  db: Queryable,
  functions: readonly NewFunction[],
): Promise<SandboxFunction[]> {
  return Array.fromAsync(functions, async ({ sid, workspaceId, slug, ...definition }) => {
    const { createdAt } = definition;
    const names = { sid, workspaceId, slug, createdAt, updatedAt: createdAt };
    const identity = await insertRow(db, sandboxFunctions, names);
    const values = { ...definition, functionId: identity.id, version: 1 };
    return { ...identity, definition: await insertRow(db, sandboxFunctionVersions, values) };
  });
}

/** A function as its callers see it. */
export function renderFunction({ definition, ...identity }: InvocableFunction): RenderedFunction {
  return {
    sId: identity.sid,
    slug: identity.slug,
    description: definition.description,
    version: definition.version,
    inputSchema: definition.inputSchema,
    outputSchema: definition.outputSchema,
    timeoutMs: definition.timeoutMs,
    maxOutputBytes: definition.maxOutputBytes,
    maxLogLines: definition.maxLogLines,
    maxConcurrent: definition.maxConcurrent,
    retryable: definition.retryable,
    requiresApproval: definition.requiresApproval,
    createdAt: identity.createdAt,
    updatedAt: identity.updatedAt,
  };
}
