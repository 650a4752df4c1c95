import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestAgent, insertTestWorkspace } from "../../testing/testing.ts";
import { createVersionSweep } from "./sweep-versions.ts";

const RETENTION_MS = 90 * 24 * 3_600_000;

const test = coreTest();

/** Rows of agents, and of what names them, that this transaction has looked up. */
const countLookups = statement<{}, { rows: number }>(
  "count_lookups",
  sql`select sum(case relname when 'messages' then idx_scan else idx_tup_fetch end)::float8 as rows
    from pg_stat_xact_user_tables where relname in ('agents', 'messages')`,
);

/** Agents with that many versions, all of which have answered but the unused. */
async function insertVersions(count: number, unused: readonly number[]): Promise<void> {
  const { db } = test.core.database;
  const workspace = await insertTestWorkspace(test.core);
  for (const sid of ["ann", "bob"]) {
    await insertTestAgent(test.core, workspace, { sid, version: count - 1 });
  }
  await db.execute(sql`
    insert into agents (sid, workspace_id, version, is_current, name, description, picture_url,
      status, scope, provider_id, model_id, temperature, max_steps_per_run, created_at)
    select sid, workspace_id, old, false, name, description, picture_url,
      status, scope, provider_id, model_id, temperature, max_steps_per_run, created_at
    from agents, generate_series(0, version - 1) old`);
  await db.execute(sql`
    insert into messages (sid, id, workspace_id, conversation_id, rank, version, type, visibility,
      created_at, content, agent_id)
    select 'msg_' || id, id, workspace_id, 0, id, 0, 'agent_message', 'visible', 0, '', id
    from agents where version not in ${unused}`);
}

it("look at a bounded number of versions at once, and come to all of them", async () => {
  await insertVersions(3000, [10, 1500, 2900]);
  test.clock.now += RETENTION_MS + 1;
  const swept = await test.core.database.slow.transaction(async (db) => {
    const { slow, ...database } = test.core.database;
    const core = { ...test.core, database: { ...database, slow: { ...slow, db } } };
    const read = async () => (await countLookups.execute(db, {}))[0]!.rows;
    const sweep = createVersionSweep(core, { kind: "agent", retentionMs: RETENTION_MS, kept: 3 });
    const found: { deleted: number; rows: number }[] = [];
    do {
      const before = await read();
      const deleted = await sweep();
      found.push({ deleted, rows: (await read()) - before });
    } while (found.at(-1)!.deleted > 0);
    return found;
  });
  expect(swept.map(({ deleted }) => deleted)).toEqual([1, 1, 1, 1, 1, 1, 0]);
  // At most five for each of a thousand versions; all of them together take more than ten thousand.
  expect(Math.max(...swept.map(({ rows }) => rows))).toBeLessThan(5000);
});
