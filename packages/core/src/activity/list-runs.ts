import { runs, statement, workspaces } from "@parley/db";
import { type ListRuns, MAX_PAGE_ITEMS, type RunPage } from "@parley/schema";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Reaching } from "../access/ownership.ts";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { type Place, placeOf } from "./creation-order.ts";
import {
  isListedRun,
  MAX_LOOKED_AT,
  newestFirst,
  renderRun,
  runsStatement,
  selectRuns,
} from "./select-runs.ts";

/** The runs that a list looks at, and how many of them a page has. */
interface Looked extends Record<string, unknown> {
  readonly wId: string;
  readonly from: number;
  readonly to: number;
  readonly time: number;
  readonly number: number;
}
type Filters = Pick<ListRuns, "kind" | "status" | "agentId" | "functionId">;

const value = (name: string): SQL => sql`${sql.placeholder(name)}::text`;
const bigint = (name: string): SQL => sql`${sql.placeholder(name)}::bigint`;

const ofPlace = sql`
  ${runs.workspaceId} = (select ${workspaces.id} from ${workspaces}
    where ${and(eq(workspaces.sid, sql.placeholder("wId")), isNull(workspaces.deletedAt))})
  and ${runs.createdAt} >= ${bigint("from")} and ${runs.createdAt} < ${bigint("to")}
  and (${runs.createdAt}, ${runs.id}) < (${bigint("time")}, ${bigint("number")})`;

// Filters may leave few of many, so the search for a page is bounded. The inner limit of a page tells what plans
// for all values that few are read.
const selectPage = (caller: Reaching | undefined, filters = sql``): SQL => sql`
  select * from (
    select * from (${selectRuns(caller, ofPlace)}) looked where looked."isReached"${filters}
    order by looked."createdAt" desc, looked.number desc limit ${sql.raw(String(MAX_PAGE_ITEMS + 1))}
  ) page
  order by page."createdAt" desc, page.number desc limit ${bigint("count")}`;

const readAll = runsStatement<Looked & { count: number }>("list_runs", selectPage);
const readFiltered = runsStatement<
  Looked & Record<keyof Filters, string | null> & { count: number }
>("list_runs_filtered", (caller) =>
  selectPage(
    caller,
    sql`
      and (${value("kind")} is null or looked.kind = ${value("kind")})
      and (${value("status")} is null or looked.status = ${value("status")})
      and (${value("agentId")} is null or looked."agentId" = ${value("agentId")})
      and (${value("functionId")} is null or looked.kind = 'invocation'
        and ${value("functionId")} in (looked."functionId", looked.slug))`,
  ),
);

const lastLooked = statement<Looked, Place>(
  "find_last_looked_run",
  sql`select ${runs.createdAt} as "createdAt", ${runs.id} as number from ${runs}
    where ${ofPlace} and ${isListedRun} order by ${newestFirst} limit 1 offset ${sql.raw(String(MAX_LOOKED_AT - 1))}`,
);

/** Lists the runs of a workspace that the caller reaches, the newest first, a page at a time. */
export async function listRuns(context: RequestContext, input: ListRuns): Promise<RunPage> {
  const { caller } = context;
  const { db } = context.database;
  const { limit, kind = null, status = null, agentId = null, functionId = null } = input;
  const filters = { kind, status, agentId, functionId };
  const looked = lookedOf(caller.kind === "workspace" ? caller.workspace.sid : input.wId, input);
  const values = { ...looked, count: limit + 1 };
  const isFiltered = Object.values(filters).some((filter) => filter !== null);
  const rows = await (isFiltered
    ? readFiltered(db, caller, { ...values, ...filters })
    : readAll(db, caller, values));
  // One that there is not has no runs.
  if (rows.length === 0) await administeredWorkspace(context, db, input.wId);
  const page = rows.slice(0, limit);
  const found = page.map(renderRun);
  const end = page.at(-1);
  if (rows.length > limit) return { runs: found, hasMore: true, lastValue: placeOf(end) };
  const [last] = await lastLooked.execute(db, looked);
  return { runs: found, hasMore: last !== undefined, lastValue: placeOf(last ?? end) };
}

function lookedOf(wId: string, { from, to, lastValue }: ListRuns): Looked {
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
  const [time = MAX_SAFE_INTEGER, number = MAX_SAFE_INTEGER] =
    lastValue?.split(".").map(Number) ?? [];
  return { wId, from: from ?? MIN_SAFE_INTEGER, to: to ?? MAX_SAFE_INTEGER, time, number };
}
