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
import type { FiringRow, ScheduleRow } from "./schedule-rows.ts";

/** What a run that fires starts from. */
export interface Firing {
  readonly firing: FiringRow;
  readonly schedule: ScheduleRow;
}

interface FiringColumns {
  readonly firing: object;
  readonly schedule: object;
}

const subject = sql`
  select json_build_object('firing', to_json(f), 'schedule', to_json(s))
  from schedule_firings f join schedules s on s.id = f.schedule_id
  where f.id = claimed.subject_id and f.status in ('planned', 'waiting')`;

const firings = { kind: "firing", subject } as const;
const claimStatement = fairClaim<FiringColumns>("claim_firings", firings);
const takeOverStatement = fairTakeOver<FiringColumns>("take_over_firings", firings);

function toFiringRun(run: ClaimedRun<FiringColumns>): ClaimedRun<Firing> {
  const { subject: given } = run;
  if (given === null) return { ...run, subject: null };
  const { firing, schedule } = given;
  return { ...run, subject: { firing: fromColumns(firing), schedule: fromColumns(schedule) } };
}

/** Claims firings whose time has come; workspaces of which the worker holds the fewest come first. */
export async function claimFirings(
  core: Pick<Process, "database">,
  options: FairClaim,
): Promise<Claimed<Firing>> {
  const claimed = toClaimed(await claimStatement.execute(core.database.db, toClaimValues(options)));
  return { ...claimed, runs: claimed.runs.map(toFiringRun) };
}

/** Takes over firings whose worker has not renewed its lease: what one has started is not started again. */
export async function takeOverFirings(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<Firing>[]> {
  if (options.limit <= 0) return [];
  return (await takeOverStatement.execute(database.db, options)).map(toFiringRun);
}
