import { type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import { and, eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { fromColumns } from "../data-access/row-json.ts";
import type { FunctionVersionRow, InvocationRow } from "../data-access/rows.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";

/** A version of a function; versions never change. */
export interface InvokedFunction {
  readonly sid: string;
  readonly definition: FunctionVersionRow;
}

/** An invocation with its function in the invoked version. */
export interface LoadedInvocation {
  readonly invocation: InvocationRow;
  readonly sandboxFunction: InvokedFunction;
}

/** Loads what invocations run. */
export interface FunctionServices {
  readonly readFunction: (version: VersionKey) => Promise<InvokedFunction>;
}

/** A claimed run with its invocation, from the row that the claim returned. */
export function toInvocationRun(run: ClaimedRun<object>): ClaimedRun<InvocationRow> {
  return { ...run, subject: run.subject && fromColumns<InvocationRow>(run.subject) };
}

/** Gives the invocation of a claimed run with its function. Throws if it is deleted. */
export async function loadInvocation(
  core: FunctionServices,
  run: ClaimedRun,
): Promise<LoadedInvocation> {
  if (run.subject === null) throw new Error(`Run ${run.id} has no invocation ${run.subjectId}`);
  // A claim of invocations gives it.
  const invocation = run.subject as InvocationRow;
  return { invocation, sandboxFunction: await core.readFunction(invocation) };
}

type VersionKey = Pick<InvocationRow, "functionId" | "functionVersion">;

/** Definitions that a process caches. */
const MAX_CACHED = 1000;

/** Creates a cached reader of function versions; concurrent reads of one version are one read. */
export function createFunctionReader(db: Queryable): FunctionServices["readFunction"] {
  const versions = new LRUCache<string, InvokedFunction, VersionKey>({
    max: MAX_CACHED,
    // A read that is evicted before it ends still has its callers.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => readFunction(db, context),
  });
  return (version) => {
    const key = `${version.functionId}/${version.functionVersion}`;
    return versions.forceFetch(key, { context: version });
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
