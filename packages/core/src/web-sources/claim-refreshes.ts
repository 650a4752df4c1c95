import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { fromColumns } from "../data-access/row-json.ts";
import { type FairClaim, fairClaim, fairTakeOver, toClaimValues } from "../runs/claim-fairly.ts";
import {
  type Claimed,
  type ClaimedRun,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";
import type { WebSourceRow } from "./web-source-rows.ts";

const subject = sql`select to_json(s) from web_sources s where s.id = claimed.subject_id`;

const refreshed = { kind: "web_refresh", subject } as const;
const claimStatement = fairClaim<object>("claim_web_refreshes", refreshed);
const takeOverStatement = fairTakeOver<object>("take_over_web_refreshes", refreshed);

function toRefresh(run: ClaimedRun<object>): ClaimedRun<WebSourceRow> {
  return { ...run, subject: run.subject === null ? null : fromColumns(run.subject) };
}

/** Claims refreshes of web sources; workspaces of which the worker holds the fewest come first. */
export async function claimWebRefreshes(
  core: Pick<Process, "database">,
  options: FairClaim,
): Promise<Claimed<WebSourceRow>> {
  const claimed = toClaimed(await claimStatement.execute(core.database.db, toClaimValues(options)));
  return { ...claimed, runs: claimed.runs.map(toRefresh) };
}

/** Takes over refreshes whose worker has not renewed its lease: they continue with the page that comes next. */
export async function takeOverWebRefreshes(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<WebSourceRow>[]> {
  if (options.limit <= 0) return [];
  return (await takeOverStatement.execute(database.db, options)).map(toRefresh);
}
