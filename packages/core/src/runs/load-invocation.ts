import { type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import { and, eq } from "drizzle-orm";
import { fromColumns } from "../columns.ts";
import type { Core } from "../context.ts";
import type { FunctionVersionRow, InvocationRow } from "../rows.ts";
import type { ClaimedRun } from "./claimed-run.ts";

/** A function in one of its versions, neither of which ever changes. */
export interface InvokedFunction {
  readonly sid: string;
  readonly definition: FunctionVersionRow;
}

/** An invocation and the function that it runs, in the version that it was invoked in. */
export interface LoadedInvocation {
  readonly invocation: InvocationRow;
  readonly sandboxFunction: InvokedFunction;
}

/** Gives the invocation of a claimed run and its function. Throws when it is gone. */
export async function loadInvocation(core: Core, run: ClaimedRun): Promise<LoadedInvocation> {
  if (run.invocation === null) {
    throw new Error(`Run ${run.id} has no invocation ${run.subjectId}`);
  }
  const invocation = fromColumns<InvocationRow>(run.invocation);
  return { invocation, sandboxFunction: await core.readFunction(invocation) };
}

type VersionKey = Pick<InvocationRow, "functionId" | "functionVersion">;

/** Definitions that a process keeps; those that were used the longest ago go first. */
const MAX_KEPT = 1000;

/** Makes what reads versions of functions; each is read once while it is in use. */
export function createFunctionReader(
  db: Queryable,
): (version: VersionKey) => Promise<InvokedFunction> {
  const kept = new Map<string, Promise<InvokedFunction>>();
  return (version) => {
    const key = `${version.functionId}/${version.functionVersion}`;
    let found = kept.get(key);
    if (found === undefined) {
      found = readFunction(db, version);
      found.catch(() => kept.delete(key));
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    } else kept.delete(key);
    kept.set(key, found);
    return found;
  };
}

async function readFunction(
  db: Queryable,
  { functionId, functionVersion }: VersionKey,
): Promise<InvokedFunction> {
  const { functionId: ofFunction, version } = sandboxFunctionVersions;
  const [row] = await db
    .select({ sid: sandboxFunctions.sid, definition: sandboxFunctionVersions })
    .from(sandboxFunctionVersions)
    .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, ofFunction))
    .where(and(eq(ofFunction, functionId), eq(version, functionVersion)));
  if (row === undefined) throw new Error(`There is no ${functionId} in version ${functionVersion}`);
  return row;
}
