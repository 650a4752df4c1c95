import { memoryProposals, statement } from "@parley/db";
import { PROPOSAL_RETENTION_MS } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

const SWEPT_AT_ONCE = sql.raw("1000");

// Their ids are in the order of their times, near enough.
const sweepStatement = statement<{ before: number }, { id: number }>(
  "sweep_memory_proposals",
  sql`
  delete from memory_proposals where created_at < ${sql.placeholder("before")}::bigint and id in (
    select id from memory_proposals order by id limit ${SWEPT_AT_ONCE} for update skip locked
  ) returning id`,
);

/** Deletes changes of memories that nobody has decided for 30 days. Gives the number of rows, which is bounded. */
export async function sweepProposals(core: Process): Promise<number> {
  const before = core.now() - PROPOSAL_RETENTION_MS;
  return (await sweepStatement.execute(core.database.db, { before })).length;
}

/** Changes that are counted at most. */
const COUNTED = 10_000;

/** How many changes of shared memories of the server wait for a person; 10,000 may be more. */
export async function countWaitingProposals({
  database: { db },
}: Pick<Process, "database">): Promise<number> {
  const { id } = memoryProposals;
  return db.$count(db.select({ id }).from(memoryProposals).limit(COUNTED).as("waiting"));
}
