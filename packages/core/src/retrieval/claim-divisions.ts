import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { type FairClaim, fairClaim, fairTakeOver, toClaimValues } from "../runs/claim-fairly.ts";
import {
  type Claimed,
  type ClaimedRun,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";

const subject = sql`
  select json_build_object('viewId', v.id) from data_source_views v where v.id = claimed.subject_id`;

/** What a run that divides documents starts from: the data source. */
export interface DivisionSubject {
  readonly viewId: number;
}

const divided = { kind: "division", subject } as const;
const claimStatement = fairClaim<DivisionSubject>("claim_divisions", divided);
const takeOverStatement = fairTakeOver<DivisionSubject>("take_over_divisions", divided);

/** Claims divisions; workspaces of which the worker holds the fewest come first. */
export async function claimDivisions(
  core: Pick<Process, "database">,
  options: FairClaim,
): Promise<Claimed<DivisionSubject>> {
  return toClaimed(await claimStatement.execute(core.database.db, toClaimValues(options)));
}

/** Takes over divisions whose worker has not renewed its lease: they continue after the last written document. */
export async function takeOverDivisions(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<DivisionSubject>[]> {
  if (options.limit <= 0) return [];
  return takeOverStatement.execute(database.db, options);
}
