import { runs, statement, workspaces } from "@parley/db";
import { type ListRuns, MAX_PAGE_ITEMS, type RunPage } from "@parley/schema";
import { and, eq, isNull, type SQL, sql, type SQLWrapper } from "drizzle-orm";
import type { Reaching } from "../access/ownership.ts";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { placeOf } from "./creation-order.ts";
import { isListedRun, MAX_LOOKED_AT, renderRun, runsStatement, selectRuns } from "./select-runs.ts";

/** The runs that a list looks at. */
interface Looked extends Record<string, unknown> {
  readonly wId: string;
  readonly from: number;
  readonly to: number;
  readonly endedFrom: number;
  readonly endedTo: number;
  readonly time: number;
  readonly number: number;
}

type Filters = Record<
  | "kind"
  | "status"
  | "agentId"
  | "functionId"
  | "toolId"
  | "model"
  | "askedByKeyId"
  | "askedByUserId",
  string | null
>;

const value = (name: string): SQL => sql`${sql.placeholder(name)}::text`;
const bigint = (name: string): SQL => sql`${sql.placeholder(name)}::bigint`;

const wasCreated = sql`${runs.createdAt} >= ${bigint("from")} and ${runs.createdAt} < ${bigint("to")}`;

/** What a list is in the order of, and what it looks at. */
interface Order {
  readonly name: string;
  readonly time: SQLWrapper;
  /** The same of a looked run. */
  readonly lookedTime: SQL;
  readonly where: SQL;
}
const byCreation: Order = {
  name: "run",
  time: runs.createdAt,
  lookedTime: sql`looked."createdAt"`,
  where: wasCreated,
};
const byEnd: Order = {
  name: "ended_run",
  time: runs.finishedAt,
  lookedTime: sql`looked."endedAt"`,
  where: sql`${wasCreated} and ${runs.finishedAt} >= ${bigint("endedFrom")} and ${runs.finishedAt} < ${bigint("endedTo")}`,
};

/** Whether a looked run has a column with what a statement gives: its own, or that of the invocation. */
const wasAskedBy = (ofRun: SQL, ofInvocation: SQL, asked: SQL): SQL => sql`exists (
  select from runs r left join invocations i on r.kind = 'invocation' and i.id = r.subject_id
  where r.id = looked.number and coalesce(${ofRun}, ${ofInvocation}) = (${asked}))`;
const byKey = wasAskedBy(
  sql`r.api_key_id`,
  sql`i.api_key_id`,
  sql`select k.id from api_keys k where k.sid = ${value("askedByKeyId")}`,
);
const byUser = wasAskedBy(
  sql`r.user_id`,
  sql`i.owner_id`,
  sql`select u.id from users u where u.sid = ${value("askedByUserId")}`,
);
const matches = sql`
  and (${value("kind")} is null or looked.kind = ${value("kind")})
  and (${value("status")} is null or looked.status = ${value("status")})
  and (${value("agentId")} is null or looked."agentId" = ${value("agentId")})
  and (${value("toolId")} is null or looked."toolId" = ${value("toolId")})
  and (${value("functionId")} is null or looked.kind = 'invocation'
    and ${value("functionId")} in (looked."functionId", looked.slug))
  and (${value("model")} is null or exists (
    select from usage_entries e where e.log_id = looked.id and e.workspace_id = looked."workspaceId"
      and e.origin = 'answer' and e.provider_id || '/' || e.model_id = ${value("model")}))
  and (${value("askedByKeyId")} is null or ${byKey})
  and (${value("askedByUserId")} is null or ${byUser})`;

/** The statements of a list in one order: without and with filters, and the one that finds the last run that is looked at. */
function statementsIn({ name, time, lookedTime, where }: Order) {
  const ofPlace = sql`
    ${runs.workspaceId} = (select ${workspaces.id} from ${workspaces}
      where ${and(eq(workspaces.sid, sql.placeholder("wId")), isNull(workspaces.deletedAt))})
    and ${where} and (${time}, ${runs.id}) < (${bigint("time")}, ${bigint("number")})`;
  const order = sql`${time} desc, ${runs.id} desc`;
  // Filters may leave few of many, so the search for a page is bounded. The inner limit of a page tells what plans
  // for all values that few are read.
  const selectPage = (caller: Reaching | undefined, filters = sql``): SQL => sql`
    select * from (
      select * from (${selectRuns(caller, ofPlace, order)}) looked where looked."isReached"${filters}
      order by ${lookedTime} desc, looked.number desc limit ${sql.raw(String(MAX_PAGE_ITEMS + 1))}
    ) looked
    order by ${lookedTime} desc, looked.number desc limit ${bigint("count")}`;
  return {
    readAll: runsStatement<Looked & { count: number }>(`list_${name}s`, selectPage),
    readFiltered: runsStatement<Looked & Filters & { count: number }>(
      `list_${name}s_filtered`,
      (caller) => selectPage(caller, matches),
    ),
    findLast: statement<Looked, Ended>(
      `find_last_looked_${name}`,
      sql`select ${time} as time, ${runs.id} as number from ${runs}
      where ${ofPlace} and ${isListedRun} order by ${order} limit 1 offset ${sql.raw(String(MAX_LOOKED_AT - 1))}`,
    ),
  };
}

/** A run by which a page ends. */
interface Ended {
  readonly time: number | null;
  readonly number: number;
}

const inOrderOf = { creation: statementsIn(byCreation), end: statementsIn(byEnd) };

/** Lists the runs of a workspace that the caller reaches, the newest first, a page at a time. */
export async function listRuns(context: RequestContext, input: ListRuns): Promise<RunPage> {
  const { caller } = context;
  const { db } = context.database;
  const { limit, endedFrom, endedTo } = input;
  const order = (endedFrom ?? endedTo) === undefined ? "creation" : "end";
  const { readAll, readFiltered, findLast } = inOrderOf[order];
  const { kind = null, status = null, agentId = null, functionId = null } = input;
  const { toolId = null, model = null } = input;
  // The statements have a key and a user of the caller already.
  const { keyId: askedByKeyId = null, userId: askedByUserId = null } = input;
  const ofThings = { kind, status, agentId, functionId, toolId, model };
  const filters: Filters = { ...ofThings, askedByKeyId, askedByUserId };
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
  const lastRow = page.at(-1);
  const end = lastRow && {
    time: order === "end" ? lastRow.endedAt : lastRow.createdAt,
    number: lastRow.number,
  };
  if (rows.length > limit) return { runs: found, hasMore: true, lastValue: placeAt(end) };
  const [last] = await findLast.execute(db, looked);
  return { runs: found, hasMore: last !== undefined, lastValue: placeAt(last ?? end) };
}

const placeAt = (end: Ended | undefined): string | null =>
  placeOf(end && { createdAt: end.time ?? 0, number: end.number });

function lookedOf(wId: string, { from, to, endedFrom, endedTo, lastValue }: ListRuns): Looked {
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
  const [time = MAX_SAFE_INTEGER, number = MAX_SAFE_INTEGER] =
    lastValue?.split(".").map(Number) ?? [];
  return {
    wId,
    from: from ?? MIN_SAFE_INTEGER,
    to: to ?? MAX_SAFE_INTEGER,
    endedFrom: endedFrom ?? MIN_SAFE_INTEGER,
    endedTo: endedTo ?? MAX_SAFE_INTEGER,
    time,
    number,
  };
}
