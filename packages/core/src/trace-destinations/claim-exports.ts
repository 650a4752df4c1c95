import { type Queryable, traceDestinations } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { type FairClaim, fairClaim, fairTakeOver, toClaimValues } from "../runs/claim-fairly.ts";
import {
  type Claimed,
  type ClaimedRun,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";
import type { TraceDestinationRow } from "./destination-rows.ts";

// What it is changed to while the run goes on matters too: each batch reads it.
const subject = sql`
  select json_build_object('id', d.id) from trace_destinations d where d.id = claimed.subject_id`;

/** What a run that exports starts from. */
export interface ExportSubject {
  readonly id: number;
}

const exported = { kind: "trace_export", subject } as const;
const claimStatement = fairClaim<ExportSubject>("claim_trace_exports", exported);
const takeOverStatement = fairTakeOver<ExportSubject>("take_over_trace_exports", exported);

/** Claims exports of traces; workspaces of which the worker holds the fewest come first. */
export async function claimTraceExports(
  core: Pick<Process, "database">,
  options: FairClaim,
): Promise<Claimed<ExportSubject>> {
  return toClaimed(await claimStatement.execute(core.database.db, toClaimValues(options)));
}

/** Takes over exports whose worker has not renewed its lease: a destination may get spans twice, with the same ids. */
export async function takeOverTraceExports(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<ExportSubject>[]> {
  if (options.limit <= 0) return [];
  return takeOverStatement.execute(database.db, options);
}

/** Reads a destination as it stands now; undefined once it is deleted. */
export async function readDestination(
  db: Queryable,
  id: number,
): Promise<TraceDestinationRow | undefined> {
  const [row] = await db.select().from(traceDestinations).where(eq(traceDestinations.id, id));
  return row;
}
