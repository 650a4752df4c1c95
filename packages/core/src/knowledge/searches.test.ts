import { statement } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { upsertDocument } from "./documents.ts";
import { searchDocuments } from "./search-documents.ts";
import { searchNodes } from "./search-nodes.ts";

const DOCUMENTS = 60;
const SEARCHES = 16;

/** Different words, so that the words of a text take as much room as they can. */
const words = (length: number, seed: number): string => {
  let text = "";
  for (let at = 0; text.length < length; at++) text += `w${(at * 7919 + seed).toString(36)} `;
  return text;
};

const longBlocks = statement<Record<string, never>, { blocks: number }>(
  "test_long_blocks",
  sql`select (toast_blks_read + toast_blks_hit)::int as blocks from pg_statio_user_tables
    where relname = 'data_source_nodes'`,
);
const searching = statement<Record<string, never>, { count: number }>(
  "test_searching",
  sql`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%ts_rank%'
      and pid <> pg_backend_pid()`,
);

describe("searches in large documents", () => {
  const test = coreTest();
  let context: CoreContext;
  let wId: string;
  let spaceId: string;
  let dsId: string;
  let dsvId: string;
  beforeAll(async () => {
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    context = await openTestContext(test.core, workspace);
    spaceId = (await test.operator.createSpace({ wId, name: "S" })).space.sId;
    const { dataSourceView } = await test.operator.createDataSourceView({
      wId,
      spaceId,
      name: "Large",
    });
    dsId = dataSourceView.dataSourceId;
    dsvId = dataSourceView.sId;
    for (let index = 0; index < DOCUMENTS; index++) {
      const title = index === 0 ? "All about it" : `Document ${index}`;
      const text = `${words(60_000, index)} needle ${index % 2 === 0 ? "thread" : ""} end`;
      await upload(`d${index}`, { title, text, timestamp: index + 1 });
    }
    // The planner knows what there is, as on a server that has run for a minute.
    await test.core.database.db.execute(sql`analyze data_source_nodes`);
    // How long a search may take is tested in untrusted/: here, another's load must end none.
    const { db, connections } = test.core.database.searches;
    const patient = () => db.execute(sql`set statement_timeout = '60s'`);
    await Promise.all(Array.from({ length: connections }, patient));
  }, 60_000);

  const upload = (documentId: string, body: object) =>
    upsertDocument(
      context,
      parseInput(endpoints["documents.upsert"], { wId, dsId, documentId, ...body }),
    );
  const search = (query: string, more: object = {}) =>
    searchDocuments(
      context,
      parseInput(endpoints["dataSourceViews.searchDocuments"], {
        wId,
        spaceId,
        dsvId,
        query,
        ...more,
      }),
    );
  const find = (query: string) =>
    searchNodes(context, parseInput(endpoints["nodes.search"], { wId, query }));

  /** Blocks of the tables that hold long values, which were read in the meantime. */
  const longBlocksRead = async (work: () => Promise<unknown>): Promise<number> => {
    const { db } = test.core.database;
    const read = async () => {
      await test.core.database.searches.db.execute(sql`select pg_stat_force_next_flush()`);
      await db.execute(sql`select pg_stat_force_next_flush()`);
      await db.execute(sql`select pg_stat_clear_snapshot()`);
      const [row] = await longBlocks.execute(db, {});
      return row!.blocks;
    };
    const before = await read();
    await work();
    return (await read()) - before;
  };

  it("rank the words of a few long texts, and all by their titles and times", async () => {
    const { documents } = await search("needle", { top_k: 32 });
    expect(documents).toHaveLength(32);
    expect((await find("needle")).nodes).toHaveLength(25);
    const titled = await search("needle about", { top_k: 3 });
    expect(titled.documents[0]?.title).toBe("All about it");
    const newest = await search("needle thread", { full_text: true, top_k: 1 });
    expect(newest.documents[0]?.title).toBe("Document 58");
  });

  it("read a bounded part of the long values, however many match", async () => {
    await search("needle");
    const few = await longBlocksRead(() => search("needle", { timestamp_gt: DOCUMENTS - 20 }));
    const all = await longBlocksRead(() => search("needle"));
    const found = await longBlocksRead(() => find("needle"));
    expect(few).toBeGreaterThan(0);
    expect(all).toBeLessThan(few * 1.5);
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(few * 1.5);
  });

  it("give the part around the first word that is found, else the beginning", async () => {
    const text = `${"x ".repeat(500)}Zebra Crossing ${"y ".repeat(2000)}`;
    await upload("zebra", { title: "Striped", text });
    const [found] = (await search("crossing absent")).documents;
    expect(found?.chunks[0]).toMatchObject({ offset: 806 });
    expect(found?.chunks[0]?.text).toContain("Zebra Crossing");
    const [titled] = (await search("striped")).documents;
    expect(titled?.chunks[0]).toMatchObject({ offset: 0, text: text.slice(0, 2000) });
  });

  it("take none of the connections of other requests", async () => {
    const { database } = test.core;
    let most = 0;
    let isOver = false;
    const watch = (async () => {
      while (!isOver) {
        most = Math.max(most, database.pool().waiting);
        const [row] = await searching.execute(database.db, {});
        expect(row!.count).toBeLessThanOrEqual(database.searches.connections / 2);
      }
    })();
    const work = async (_: unknown, index: number) => {
      for (let round = 0; round < 4; round++) {
        await (index % 2 === 0 ? search("needle thread") : find("needle thr"));
      }
    };
    await Promise.all(Array.from({ length: SEARCHES }, work)).finally(() => (isOver = true));
    await watch;
    expect(most).toBe(0);
  });
});
