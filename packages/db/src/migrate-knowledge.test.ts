import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { migrateUpTo } from "../testing/migrate-up-to.ts";
import { createTemporaryDatabase, openTestDatabase } from "../testing/index.ts";
import { exportDatabase } from "./transfer/export-database.ts";
import { select } from "./transfer/format.ts";
import { importDatabase } from "./transfer/import-database.ts";

it("makes data sources of old views, whose nodes are found, and moves them", async () => {
  const { url, drop } = await createTemporaryDatabase({ isBare: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrateUpTo(client, "0029_knowledge");
  await client.query(`
    insert into workspaces (sid, name, created_at) values ('w', 'W', 0);
    insert into spaces (sid, workspace_id, name, kind, is_restricted, created_at, updated_at)
      select 'vlt_x', id, '', 'regular', false, 0, 0 from workspaces;
    insert into data_source_views (sid, workspace_id, space_id, name, created_at)
      select v.sid, w.id, s.id, '', 7 from workspaces w, spaces s, (values ('dsv_full'), ('dsv_bare')) v (sid);
    insert into data_source_nodes (view_id, node_id, node_type, title, content_type, content, updated_at)
      select id, n, 'document', 'Title', '', 'größer', 9
      from data_source_views, (values ('a'), ('b')) nodes (n) where sid = 'dsv_full'`);
  await client.end();
  const database = await openPostgres({ url, poolSize: 1 });
  const views = `select sid, data_source_sid, node_count, content_bytes::int, updated_at::int
    from data_source_views order by id`;
  expect(await select(database.db, views)).toEqual([
    {
      sid: "dsv_full",
      data_source_sid: "dts_full",
      node_count: 2,
      content_bytes: 16,
      updated_at: 7,
    },
    {
      sid: "dsv_bare",
      data_source_sid: "dts_bare",
      node_count: 0,
      content_bytes: 0,
      updated_at: 7,
    },
  ]);
  // Documents of before are divided by a run.
  const undivided =
    "select node_id from data_source_nodes where divided_at is null order by node_id";
  expect(await select(database.db, undivided)).toEqual([{ node_id: "a" }, { node_id: "b" }]);
  let lines = "";
  await exportDatabase(database, async (text) => void (lines += text));
  await database.close();
  await drop();
  const target = await openTestDatabase();
  await importDatabase(
    target,
    (async function* () {
      yield* lines.split("\n").slice(0, -1);
    })(),
  );
  // What nodes are found by is computed again.
  const found = `select node_id, parents, content_hash from data_source_nodes
    where search @@ plainto_tsquery('simple', 'größer title')
      and search @@ (quote_literal('view ' || view_id))::tsquery order by node_id`;
  const hash = "45fbf6a67b5efa7dbcc0c0ccf6bdd7ce207300314c009282515896ea4cd7a4e6";
  expect(await select(target.db, found)).toEqual([
    { node_id: "a", parents: ["a"], content_hash: hash },
    { node_id: "b", parents: ["b"], content_hash: hash },
  ]);
  await target.close();
});
