import { invocations, sandboxFunctions } from "@parley/db";
import { eq } from "drizzle-orm";
import type { Core } from "../context.ts";
import type { InvocationRow, SandboxFunctionRow } from "../rows.ts";
import type { ClaimedRun } from "./claim-runs.ts";

/** An invocation and the function that it runs. */
export interface LoadedInvocation {
  readonly invocation: InvocationRow;
  readonly sandboxFunction: SandboxFunctionRow;
}

/** Loads the invocation of a claimed run. Throws when it is gone. */
export async function loadInvocation(core: Core, run: ClaimedRun): Promise<LoadedInvocation> {
  const [row] = await core.database.db
    .select({ invocation: invocations, sandboxFunction: sandboxFunctions })
    .from(invocations)
    .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, invocations.functionId))
    .where(eq(invocations.id, run.subjectId));
  if (row === undefined) throw new Error(`Run ${run.id} has no invocation ${run.subjectId}`);
  return row;
}
