import {
  type Database,
  embeddingSets,
  exportDatabase,
  importDatabase,
  insertRow,
  partVectors,
} from "@parley/db";
import { openTestDatabase } from "@parley/db/testing";
import { openVectorDatabase } from "@parley/db/testing-vector";
import { endpoints, parseInput } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestOperator, type TestOperator } from "../../testing/operator.ts";
import { divideTestDocuments } from "../../testing/retrieval.ts";
import {
  createTestCore,
  insertTestWorkspace,
  openTestContext,
  type TestCore,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { selectRows } from "../data-access/select-rows.ts";
import { upsertDocument } from "../knowledge/documents.ts";
import type { EmbeddingSet } from "./embedding-sets.ts";
import { findSearchMode, getKnowledgeStatus } from "./knowledge-status.ts";
import type { PartFilters } from "./part-filters.ts";
import { searchParts } from "./search-parts.ts";
import { indexSchemaOf, indexVectors } from "./vector-indexes.ts";

const PARTS = 1500;
/** Those of another document. */
const RARE = 20;
/** A vector of a set has an index from here on, in these tests. */
const LEAST = 100;
const { signal } = new AbortController();

describe("an index of vectors, with the extension", () => {
  let database: Database;
  let test: TestCore;
  let operator: TestOperator;
  let workspace: WorkspaceRow;
  let context: CoreContext;
  let set: EmbeddingSet;

  beforeAll(async () => {
    database = await openVectorDatabase();
    // Not in the path of names, as some services have it.
    await database.db.execute(sql`create schema extensions`);
    test = createTestCore(database);
    operator = openTestOperator(test.core);
    workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace, "admin");
    set = await fill(workspace, context);
  }, 120_000);
  afterAll(() => test.close());

  /** A workspace with a document that has many parts with vectors, and a set of them. */
  async function fill(of: WorkspaceRow, by: CoreContext): Promise<EmbeddingSet> {
    const { space } = await operator.createSpace({ wId: of.sid, name: "Open" });
    const given = { wId: of.sid, spaceId: space.sId, name: "Handbook" };
    const { dataSourceView } = await operator.createDataSourceView(given);
    for (const tag of ["common", "rare"]) {
      const raw = { wId: of.sid, dsId: dataSourceView.dataSourceId, documentId: tag };
      const input = parseInput(endpoints["documents.upsert"], {
        ...raw,
        title: "x",
        text: "A word.",
        tags: [tag],
      });
      await upsertDocument(by, input);
    }
    await divideTestDocuments(test.core);
    const made = await insertRow(database.db, embeddingSets, {
      workspaceId: of.id,
      providerId: "openai_compatible",
      modelId: "x",
      dimensions: 8,
      status: "current",
      createdAt: 0,
    });
    // The vectors of the rare document are the farthest.
    await database.db.execute(sql`
      with numbers as (
        select nth, case when nth >= ${PARTS - RARE} then 'rare' else 'common' end as node_id,
          round(127 * cosd(nth * 80 / ${PARTS}::float8))::int as x, round(127 * sind(nth * 80 / ${PARTS}::float8))::int as y
        from generate_series(0, ${PARTS - 1}) nth
      ),
      parts as (
        insert into document_parts (view_id, node_id, part_id, position, content, start, "end", headings, language, words)
        select v.id, node_id, 'p' || nth, nth, 'A part.', 0, 7, '{}', 'simple', '' from numbers, data_source_views v
        where v.workspace_id = ${of.id} on conflict do nothing
      )
      insert into part_vectors (view_id, node_id, part_id, set_id, vector, signs)
      select v.id, node_id, 'p' || nth, ${made.id},
        decode(lpad(to_hex(x), 2, '0') || lpad(to_hex(y), 2, '0') || repeat('01ff', 3), 'hex'), '11101010'
      from numbers, data_source_views v where v.workspace_id = ${of.id}`);
    return made;
  }

  const indexes = async (): Promise<string[]> => {
    const rows = await selectRows<{ name: string }>(
      database.db,
      sql`select indexname as name from pg_indexes where tablename = 'part_vectors' and indexname like '%hnsw%' order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  /** What is found by meaning alone, as the numbers of the parts. */
  const search = async (filters: PartFilters = {}, maxExact?: number, by = context) => {
    const [row] = await selectRows<{ schema: string | null }>(
      database.db,
      sql`select ${indexSchemaOf(sql`${set.id}::bigint`)} as schema`,
    );
    const meaning = { set, vector: [1, 0, 0, 0, 0, 0, 0, 0], indexSchema: row?.schema ?? null };
    const { caller } = by;
    const given = { query: "!!!", filters, limit: 10, meaning, maxExact };
    const { mode, parts } = await searchParts(test.core, { caller, signal }, given);
    return { mode, parts: parts.map(({ partId }) => Number(partId.slice(1))) };
  };
  const status = () => getKnowledgeStatus(context, { wId: workspace.sid });

  it("is built once the extension is there, and the status says so", async () => {
    expect(await indexVectors(test.core, signal, LEAST)).toBe(0);
    expect(await findSearchMode(test.core)).toBe("exact");
    expect((await search({}, 50)).mode).toBe("re-ranked");
    await database.db.execute(sql`create extension vector schema extensions`);
    expect(await indexVectors(test.core, signal, PARTS)).toBe(0);
    expect(await indexVectors(test.core, signal, LEAST)).toBe(1);
    expect(await indexVectors(test.core, signal, LEAST)).toBe(0);
    expect(await indexes()).toEqual([`part_vectors_hnsw_${set.id}`]);
    expect(await findSearchMode(test.core)).toBe("hnsw");
    // Of so few, all are compared.
    expect(await status()).toMatchObject({ mode: "exact" });
  }, 60_000);

  it("gives the nearest, as a comparison of all does", async () => {
    const exact = await search();
    expect(exact.mode).toBe("exact");
    for (const nth of exact.parts) expect(nth).toBeLessThan(20);
    const found = await search({}, 50);
    expect(found.mode).toBe("hnsw");
    expect(found.parts).toHaveLength(10);
    for (const nth of found.parts) expect(nth).toBeLessThan(20);
  });

  it("is read on until the filters have left enough, and gives nothing that the caller does not reach", async () => {
    // More parts than it looks at are nearer than all of these.
    const rare = await search({ tagsIn: ["rare"] }, 5);
    expect(rare.mode).toBe("hnsw");
    expect(rare.parts).toHaveLength(10);
    for (const nth of rare.parts) expect(nth).toBeGreaterThanOrEqual(PARTS - RARE);
    const common = await search({ tagsNot: ["rare"], after: 0 }, 50);
    expect(common.parts).toHaveLength(10);
    expect(await search({ after: test.clock.now + 1 }, 0)).toEqual({ mode: "exact", parts: [] });
    const other = await insertTestWorkspace(test.core);
    const stranger = await openTestContext(test.core, other, "admin");
    await operator.createSpace({ wId: other.sid, name: "Open" });
    expect((await search({}, 0, stranger)).parts).toEqual([]);
  });

  it("is kept by the writes of vectors, and by deletions of documents", async () => {
    await database.db.execute(sql`
      update part_vectors set vector = '\\x7f0001ff01ff01ff' where part_id = 'p1400' and set_id = ${set.id}`);
    expect((await search({}, 50)).parts).toContain(1400);
    await database.db.execute(sql`delete from document_parts where part_id = 'p1400'`);
    expect((await search({}, 50)).parts).not.toContain(1400);
  });

  it("is built again if it is broken", async () => {
    const name = `part_vectors_hnsw_${set.id}`;
    await database.db.execute(
      sql`update pg_index set indisvalid = false where indexrelid = to_regclass(${name})`,
    );
    expect((await search({}, 50)).mode).toBe("re-ranked");
    expect(await indexVectors(test.core, signal, LEAST)).toBe(2);
    expect((await search({}, 50)).mode).toBe("hnsw");
  });

  it("is not part of an export, which a database without the extension takes, and one with it", async () => {
    const lines: string[] = [];
    const write = async (text: string) => void lines.push(...text.trimEnd().split("\n"));
    await exportDatabase(database, write);
    const plain = await openTestDatabase();
    try {
      await importDatabase(plain, Readable.from(lines));
      expect(await plain.db.$count(partVectors)).toBe(PARTS - 1);
      expect(await findSearchMode({ database: plain })).toBe("exact");
      expect(await indexVectors({ database: plain }, signal, LEAST)).toBe(0);
      const again: string[] = [];
      await exportDatabase(plain, async (text) => void again.push(...text.trimEnd().split("\n")));
      expect(again).toEqual(lines);
    } finally {
      await plain.close();
    }
    await database.db.execute(sql`
      do $$ begin perform set_config('session_replication_role', 'replica', true); execute (select 'truncate ' || string_agg(format('public.%I', tablename), ', ') from pg_tables
        where schemaname = 'public'); end $$`);
    await importDatabase(database, Readable.from(lines));
    expect((await search({}, 50)).mode).toBe("hnsw");
  });

  it("goes with its set and with its workspace, and all go with the extension", async () => {
    const { db } = database;
    const { id, ...copied } = set;
    const removed = await insertRow(db, embeddingSets, copied);
    await db.execute(sql`
      insert into part_vectors (view_id, node_id, part_id, set_id, vector, signs)
      select view_id, node_id, part_id, ${removed.id}, vector, signs from part_vectors where set_id = ${id}`);
    expect(await indexVectors(test.core, signal, LEAST)).toBe(1);
    expect(await indexes()).toHaveLength(2);
    await db
      .update(embeddingSets)
      .set({ status: "removed" })
      .where(eq(embeddingSets.id, removed.id));
    expect(await indexVectors(test.core, signal, LEAST)).toBe(1);
    expect(await indexes()).toEqual([`part_vectors_hnsw_${set.id}`]);
    await operator.deleteWorkspace({ wId: workspace.sid });
    expect(await indexVectors(test.core, signal, LEAST)).toBe(1);
    expect(await indexes()).toEqual([]);
    await db.execute(sql`drop extension vector cascade`);
    expect(await findSearchMode(test.core)).toBe("word");
    const left = sql`select to_regproc('parley_halfvec') as left`;
    expect(await selectRows(db, left)).toEqual([{ left: null }]);
  });
});
