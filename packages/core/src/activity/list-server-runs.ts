import { runs, statement, workspaces } from "@parley/db";
import { type ListServerRuns, MAX_PAGE_ITEMS, type ServerRunPage } from "@parley/schema";
import { desc, lt, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import {
  isListedRun,
  type LookedRun,
  MAX_LOOKED_AT,
  renderRun,
  selectRuns,
} from "./select-runs.ts";

interface ServerRun extends LookedRun {
  /** Null if it has been deleted since. */
  readonly workspaceSid: string | null;
  readonly workspaceName: string | null;
}

// Numbers are given in the order of creation, over all workspaces.
const ofPlace = lt(runs.id, sql.placeholder("before"));
const value = (name: string) => sql`${sql.placeholder(name)}::text`;

const readPage = statement<
  { before: number; kind: string | null; status: string | null; count: number },
  ServerRun
>(
  "list_server_runs",
  sql`
  select page.*, workspaces.sid as "workspaceSid", workspaces.name as "workspaceName"
  from (
    select * from (${selectRuns(undefined, ofPlace, desc(runs.id))}) looked
    where (${value("kind")} is null or looked.kind = ${value("kind")})
      and (${value("status")} is null or looked.status = ${value("status")})
    order by looked.number desc limit ${sql.raw(String(MAX_PAGE_ITEMS + 1))}
  ) page
  left join ${workspaces} on ${workspaces.id} = page."workspaceId"
  order by page.number desc limit ${sql.placeholder("count")}`,
);

const lastLooked = statement<{ before: number }, { number: number }>(
  "find_last_looked_server_run",
  sql`select ${runs.id} as number from ${runs} where ${ofPlace} and ${isListedRun}
    order by ${desc(runs.id)} limit 1 offset ${sql.raw(String(MAX_LOOKED_AT - 1))}`,
);

/** Lists the runs of all workspaces for operators, the newest first, a page at a time. */
export async function listServerRuns(
  context: RequestContext,
  input: ListServerRuns,
): Promise<ServerRunPage> {
  const { db } = context.database;
  const { limit, lastValue, kind = null, status = null } = input;
  const before = lastValue === undefined ? Number.MAX_SAFE_INTEGER : Number(lastValue);
  const rows = await readPage.execute(db, { before, kind, status, count: limit + 1 });
  const page = rows.slice(0, limit);
  const found = page.flatMap((row) => {
    const { workspaceSid: sId, workspaceName: name } = row;
    return sId === null || name === null ? [] : [{ ...renderRun(row), workspace: { sId, name } }];
  });
  const end = placeOf(page.at(-1));
  if (rows.length > limit) return { runs: found, hasMore: true, lastValue: end };
  const [last] = await lastLooked.execute(db, { before });
  return { runs: found, hasMore: last !== undefined, lastValue: placeOf(last) ?? end };
}

const placeOf = (item: { readonly number: number } | undefined): string | null =>
  item === undefined ? null : String(item.number);
