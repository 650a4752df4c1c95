import { dataSourceViews } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { selectRows } from "../data-access/select-rows.ts";
import { searchParts } from "./search-parts.ts";

const DOCUMENTS = 600;

const test = workspaceTest({ role: "builder" });

/** Rows of documents that indexes have led to so far. */
async function readDocuments(): Promise<number> {
  const { db, searches } = test.core.database;
  await searches.db.execute(sql`select pg_stat_force_next_flush()`);
  await db.execute(sql`select pg_stat_force_next_flush()`);
  await db.execute(sql`select pg_stat_clear_snapshot()`);
  const [row] = await selectRows<{ rows: number }>(
    db,
    sql`select idx_tup_fetch::float8 as rows from pg_stat_user_tables where relname = 'data_source_nodes'`,
  );
  return row?.rows ?? 0;
}

it("a search reads each document that it found a few times, though the planner knows nothing of them yet", async () => {
  const { db } = test.core.database;
  const { workspaceId: wId } = test;
  const { space } = await test.operator.createSpace({ wId, name: "Open" });
  const named = { wId, spaceId: space.sId, name: "Many" };
  const { dataSourceView } = await test.operator.createDataSourceView(named);
  const isView = eq(dataSourceViews.dataSourceSid, dataSourceView.dataSourceId);
  const [view] = await db.select().from(dataSourceViews).where(isView);
  await db.execute(sql`
    with documents as (
      insert into data_source_nodes (view_id, node_id, node_type, title, content_type, content, content_hash, parents,
        timestamp, created_at, updated_at, divided_at)
      select ${view!.id}, 'd' || nth, 'document', 'Document', 'text/plain', '', '', array['d' || nth], 1, 1, 1, 1
      from generate_series(1, ${DOCUMENTS}::int) nth returning view_id, node_id
    )
    insert into document_parts (view_id, node_id, part_id, position, start, "end", headings, content, language, words)
    select view_id, node_id, 'p', 0, 0, 6, '{}', 'needle', 'simple',
      array_to_tsvector(array['needle', 'view ' || view_id]) from documents`);
  const { signal } = new AbortController();
  const before = await readDocuments();
  const search = { query: "needle", filters: {}, limit: 10 };
  const { parts } = await searchParts(test.core, { caller: test.context.caller, signal }, search);
  expect(parts).toHaveLength(10);
  expect((await readDocuments()) - before).toBeLessThan(5 * DOCUMENTS);
});
