import { type Queryable, sandboxFunctions } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, or } from "drizzle-orm";
import type { SandboxFunctionRow } from "./rows.ts";

/** The workspace's function with this id or slug. Throws `sandbox_function_not_found`. */
export async function getSandboxFunction(
  db: Queryable,
  workspaceId: number,
  idOrSlug: string,
): Promise<SandboxFunctionRow> {
  const named = or(eq(sandboxFunctions.sid, idOrSlug), eq(sandboxFunctions.slug, idOrSlug));
  const [row] = await db
    .select()
    .from(sandboxFunctions)
    .where(and(eq(sandboxFunctions.workspaceId, workspaceId), named));
  if (row === undefined) {
    throw new ParleyError("sandbox_function_not_found", "The workspace has no such function");
  }
  return row;
}
