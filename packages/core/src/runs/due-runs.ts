import { statement } from "@parley/db";
import type { ModelService } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";

/** Which runs that no worker holds need attention. */
export interface DueRuns {
  /** Some suspended runs have waited long enough. */
  readonly suspended: boolean;
  /** Some wait for the run before them. */
  readonly queued: boolean;
  /** Some have a worker that has not renewed its lease. */
  readonly expired: boolean;
}

/** The worker that looks, and for how long a look shows that it is alive. */
export type LookingWorker = {
  readonly workerId: string;
  readonly aliveMs: number;
  /** The services for whose models its settings have what a call needs. */
  readonly modelServices: readonly ModelService[];
};

type Values = Omit<LookingWorker, "modelServices"> & { readonly modelServices: string };

const until = (factor: SQL) =>
  sql`now() + ${factor} * ${sql.placeholder("aliveMs")}::int * interval '1 millisecond'`;

// A look writes only every few seconds, and the table is unlogged.
const lookForDue = statement<Values, DueRuns>(
  "look_for_due_runs",
  sql`
  with alive as (
    insert into workers (id, alive_until, model_services)
    select ${sql.placeholder("workerId")}, ${until(sql`1`)}, ${sql.placeholder("modelServices")}::jsonb
    where not exists (
      select from workers
      where id = ${sql.placeholder("workerId")} and alive_until > ${until(sql`0.5`)}
    )
    on conflict (id) do update set alive_until = excluded.alive_until
  )
  select exists(select from runs where status = 'suspended' and run_after <= now()) as suspended,
    exists(select from runs where status = 'queued') as queued,
    exists(select from runs where status = 'running' and lease_until < now()) as expired`,
);

/** Looks with one statement for what workers look for every second, and records that the worker is alive. */
export async function lookForDueRuns(core: Process, worker: LookingWorker): Promise<DueRuns> {
  const [due] = await lookForDue.execute(core.database.db, {
    ...worker,
    modelServices: JSON.stringify(worker.modelServices),
  });
  return due ?? { suspended: false, queued: false, expired: false };
}
