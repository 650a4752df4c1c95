import { statement } from "@parley/db";
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
