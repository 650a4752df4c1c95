import { invocations, type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Process } from "../context.ts";
import { fromColumns } from "../data-access/row-json.ts";
import type { FunctionVersionRow, InvocationRow } from "../data-access/rows.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { largeSubjects } from "../runs/large-subjects.ts";
import { spentProcessorLimit } from "../usage/processor-limits.ts";
import type { SpentLimit } from "../usage/spent-limits.ts";

/** A version of a function; versions never change. */
export interface InvokedFunction {
  readonly sid: string;
  readonly definition: FunctionVersionRow;
}

/** The invocation of a claimed run. */
export interface ClaimedInvocation extends InvocationRow {
  /** The limit for which it may not run. */
  readonly spentLimit?: SpentLimit;
}

/** An invocation with its function in the invoked version. */
export interface LoadedInvocation {
  readonly invocation: ClaimedInvocation;
  readonly sandboxFunction: InvokedFunction;
}

/** Loads what invocations run. */
export interface FunctionServices {
  readonly readFunction: (version: VersionKey) => Promise<InvokedFunction>;
}

/** A claimed run with its invocation, from the row that the claim returned. */
export function toInvocationRun(run: ClaimedRun<ClaimedColumns>): ClaimedRun<ClaimedInvocation> {
  if (run.subject === null) return { ...run, subject: null };
  const { invocation, spentLimit } = run.subject;
  const row = fromColumns<InvocationRow>(invocation);
  return { ...run, subject: spentLimit === null ? row : { ...row, spentLimit } };
}

/** What `claimedInvocationColumns` gives. */
export interface ClaimedColumns {
  readonly invocation: object;
  readonly spentLimit: SpentLimit | null;
}

/** Bytes of an input that a claim gives: it may have a hundred, and all other invocations wait for it. */
const MAX_CLAIMED_BYTES = 64 * 1024;

const now = sql`${sql.placeholder("now")}::bigint`;

/** The subquery of a claim that gives a claimed invocation at the time `now`, unless its input is large. */
export const claimedInvocationColumns = sql`
  select json_build_object('invocation', to_json(i), 'spentLimit', ${spentProcessorLimit(sql`i`, now)})
  from invocations i join sandbox_functions f on f.id = i.function_id
  where i.id = claimed.subject_id and octet_length(i.input) <= ${sql.raw(String(MAX_CLAIMED_BYTES))}`;

/** Reads the invocation of a run that no claim gave; workspaces take turns. Its subject stays null if it is deleted. */
export async function readLargeInvocation(
  { database, now: time }: Pick<Process, "database" | "now">,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<ClaimedRun<ClaimedInvocation>> {
  const leave = await largeSubjects.enter(run.workspaceId, signal);
  try {
    const [row] = await database.db
      .select({
        invocation: invocations,
        spentLimit: spentProcessorLimit(sql`${invocations}`, sql`${time()}::bigint`),
      })
      .from(invocations)
      .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, invocations.functionId))
      .where(eq(invocations.id, run.subjectId));
    if (row === undefined) return { ...run, subject: null };
    const { invocation, spentLimit } = row;
    return { ...run, subject: spentLimit === null ? invocation : { ...invocation, spentLimit } };
  } finally {
    leave();
  }
}

/** Gives the invocation of a claimed run with its function. Throws if it is deleted. */
export async function loadInvocation(
  core: FunctionServices,
  run: ClaimedRun,
): Promise<LoadedInvocation> {
  if (run.subject === null) throw new Error(`Run ${run.id} has no invocation ${run.subjectId}`);
  // A claim of invocations gives it, or `readLargeInvocation`.
  const invocation = run.subject as ClaimedInvocation;
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
