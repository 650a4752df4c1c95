import { dataSourceRows, dataSourceViews } from "@parley/db";
import { type EndpointName, endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { getDocument, upsertDocument } from "./documents.ts";
import { findNodes } from "./search-nodes.ts";
import { deleteTableRow, getTableRow, listTableRows, upsertTableRows } from "./table-rows.ts";
import {
  deleteTable,
  getTable,
  listTables,
  setTableParents,
  uploadCsv,
  upsertTable,
} from "./tables.ts";

const PRICES = "product,price,since\nTea,3.5,2026-01-31\nMilk,,\n";

describe("tables", () => {
  const test = coreTest({ dataSourceLimits: { sources: 100, nodes: 3, bytes: 2000 } });
  let context: CoreContext;
  let wId: string;
  let spaceId: string;
  beforeAll(async () => {
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    context = await openTestContext(test.core, workspace);
    spaceId = (await test.operator.createSpace({ wId, name: "S" })).space.sId;
  });

  const createSource = async () => {
    const created = await test.operator.createDataSourceView({ wId, spaceId, name: "Handbook" });
    return created.dataSourceView.dataSourceId;
  };
  const parse = <N extends EndpointName>(name: N, input: object) =>
    parseInput(endpoints[name], { wId, ...input });
  const upload = (dsId: string, body: object) =>
    uploadCsv(context, parse("tables.uploadCsv", { dsId, name: "prices", csv: PRICES, ...body }));
  const uploadRows = (dsId: string, rows: object[], body: object = {}) =>
    upsertTableRows(context, parse("tableRows.upsert", { dsId, tableId: "prices", rows, ...body }));
  const named = (dsId: string, tableId = "prices") => parse("tables.get", { dsId, tableId });
  const read = async (dsId: string, page: object = {}) => {
    const list = parse("tableRows.list", { dsId, tableId: "prices", ...page });
    return listTableRows(context, list);
  };
  const bytesOf = async (dsId: string) => {
    const { nodeCount, contentBytes } = dataSourceViews;
    const [row] = await test.core.database.db
      .select({ nodeCount, contentBytes })
      .from(dataSourceViews)
      .where(eq(dataSourceViews.dataSourceSid, dsId));
    return [row?.nodeCount, row?.contentBytes];
  };
  const countRows = () => test.core.database.db.$count(dataSourceRows);

  it("are uploaded as CSV, listed and read", async () => {
    const dsId = await createSource();
    const { table } = await upload(dsId, { description: "What we sell", tags: ["shop"] });
    expect(table).toMatchObject({
      table_id: "prices",
      title: "prices",
      schema: [
        { name: "product", value_type: "text" },
        { name: "price", value_type: "float" },
        { name: "since", value_type: "datetime" },
      ],
      row_count: 2,
      parents: ["prices"],
      mime_type: "text/csv",
    });
    expect(await getTable(context, named(dsId))).toEqual({ table });
    const page = await listTables(context, parse("tables.list", { dsId }));
    expect(page).toEqual({ tables: [table], total: 1 });
    const day = Date.UTC(2026, 0, 31);
    const since = { type: "datetime", epoch: day, string_value: "2026-01-31" };
    expect(await read(dsId)).toEqual({
      rows: [
        { row_id: "1", value: { product: "Tea", price: 3.5, since } },
        { row_id: "2", value: { product: "Milk", price: null, since: null } },
      ],
      total: 2,
    });
    expect((await read(dsId, { limit: 1, offset: 1 })).rows).toMatchObject([{ row_id: "2" }]);
    // Its description and its columns are found; it is no document.
    const found = parse("nodes.find", { query: "sell since", viewType: "tables" });
    const { nodes } = (await findNodes(context, found)).knowledgeResults;
    expect(nodes).toMatchObject([{ internalId: "prices", type: "table" }]);
    const document = parse("documents.get", { dsId, documentId: "prices" });
    expect(await refusalOf(getDocument(context, document))).toBe(
      "404 data_source_document_not_found",
    );
  });

  it("keep their rows when what is said of them changes, and move", async () => {
    const dsId = await createSource();
    await upload(dsId, {});
    const said = { dsId, name: "Prices 2026", table_id: "prices", description: "New" };
    const { table } = await upsertTable(context, parse("tables.upsert", said));
    expect(table).toMatchObject({ title: "Prices 2026", row_count: 2 });
    const move = { dsId, tableId: "prices", parents: ["prices", "shops"] };
    await setTableParents(context, parse("tables.setParents", move));
    expect((await getTable(context, named(dsId))).table.parent_id).toBe("shops");
  });

  it("are added to by CSV, or replaced", async () => {
    const dsId = await createSource();
    await upload(dsId, {});
    const { table } = await upload(dsId, { csv: "price,code\n4,A1\n", truncate: false });
    expect(table).toMatchObject({ row_count: 3 });
    expect((await read(dsId)).rows.at(-1)).toEqual({
      row_id: "3",
      value: { product: null, price: 4, since: null, code: "A1" },
    });
    const wrong = upload(dsId, { csv: "price\n1\nmany\n", truncate: false });
    await expect(wrong).rejects.toThrow(
      'csv: row 2, column "price": "many" must be a number, as the other values of the column "price"',
    );
    await uploadRows(dsId, [{ row_id: "5", value: {} }]);
    const taken = upload(dsId, { csv: "price\n1\n", truncate: false });
    await expect(taken).rejects.toThrow("the table has a row with one of these");
    expect((await read(dsId)).total).toBe(4);
    const replaced = await upload(dsId, { csv: "code\n7\n" });
    expect(replaced.table).toMatchObject({
      row_count: 1,
      schema: [{ name: "code", value_type: "int" }],
    });
    expect((await read(dsId)).rows).toEqual([{ row_id: "1", value: { code: 7 } }]);
  });

  it("have rows that are written, replaced, read and deleted one by one", async () => {
    const dsId = await createSource();
    await upsertTable(context, parse("tables.upsert", { dsId, name: "prices" }));
    await uploadRows(dsId, [
      { row_id: "tea", value: { price: 3 } },
      { row_id: "milk", value: { price: 1 } },
    ]);
    const { table } = await uploadRows(dsId, [{ row_id: "tea", value: { price: 3.5, new: true } }]);
    expect(table).toMatchObject({
      row_count: 2,
      schema: [
        { name: "price", value_type: "float" },
        { name: "new", value_type: "bool" },
      ],
    });
    // A row keeps its place.
    expect((await read(dsId)).rows).toEqual([
      { row_id: "tea", value: { price: 3.5, new: true } },
      { row_id: "milk", value: { price: 1, new: null } },
    ]);
    const row = parse("tableRows.get", { dsId, tableId: "prices", rowId: "tea" });
    expect((await getTableRow(context, row)).row.value).toEqual({ price: 3.5, new: true });
    await deleteTableRow(context, row);
    expect(await refusalOf(getTableRow(context, row))).toBe("404 table_not_found");
    expect(await refusalOf(deleteTableRow(context, row))).toBe("404 table_not_found");
    await uploadRows(dsId, [{ row_id: "a", value: { other: "x" } }], { truncate: true });
    expect(await read(dsId)).toEqual({ rows: [{ row_id: "a", value: { other: "x" } }], total: 1 });
  });

  it("refuse rows as a whole, with the row and the column of what is wrong", async () => {
    const dsId = await createSource();
    await upload(dsId, {});
    const wrong = uploadRows(dsId, [
      { row_id: "a", value: { price: 1 } },
      { row_id: "b", value: { price: "dear" } },
    ]);
    await expect(wrong).rejects.toThrow("rows[1].value.price: must be a number");
    const twice = uploadRows(dsId, [
      { row_id: "a", value: {} },
      { row_id: "a", value: {} },
    ]);
    await expect(twice).rejects.toThrow("rows[1].row_id: is the id of rows[0] too");
    expect((await read(dsId)).total).toBe(2);
  });

  it("count with the texts of their data source, to the byte", async () => {
    const dsId = await createSource();
    const { table } = await upload(dsId, {});
    const columns = "Columns: product (text), price (float), since (datetime)";
    expect(await bytesOf(dsId)).toEqual([1, columns.length + table.size]);
    const before = await bytesOf(dsId);
    const tooMuch = upload(dsId, { csv: `a\n${"x".repeat(2000)}` });
    await expect(tooMuch).rejects.toThrow(
      "The texts of the data source may have 2000 bytes in all",
    );
    expect([await bytesOf(dsId), (await read(dsId)).total]).toEqual([before, 2]);
    await deleteTableRow(
      context,
      parse("tableRows.delete", { dsId, tableId: "prices", rowId: "1" }),
    );
    const left = (await getTable(context, named(dsId))).table.size;
    expect(left).toBeLessThan(table.size);
    expect(await bytesOf(dsId)).toEqual([1, columns.length + left]);
    // A document in its place has no rows.
    const rows = await countRows();
    const document = parse("documents.upsert", { dsId, documentId: "prices", text: "four" });
    await upsertDocument(context, document);
    expect([await bytesOf(dsId), await countRows()]).toEqual([[1, 4], rows - 1]);
    expect(await refusalOf(getTable(context, named(dsId)))).toBe("404 table_not_found");
  });

  it("give back what they took when they are deleted", async () => {
    const dsId = await createSource();
    const rows = await countRows();
    await upload(dsId, {});
    await deleteTable(context, named(dsId));
    expect([await bytesOf(dsId), await countRows()]).toEqual([[0, 0], rows]);
    expect(await refusalOf(deleteTable(context, named(dsId)))).toBe("404 table_not_found");
    await upload(dsId, {});
    const { dataSourceViews: views } = await test.operator.listDataSourceViews({ wId, limit: 100 });
    const { sId: dataSourceViewId } = views.find((view) => view.dataSourceId === dsId)!;
    await test.operator.removeDataSourceView({ wId, dataSourceViewId });
    expect(await countRows()).toBe(rows);
  });

  it("are no more than a data source may hold", async () => {
    const dsId = await createSource();
    for (const name of ["a", "b", "c"]) await upload(dsId, { name });
    expect(await refusalOf(upload(dsId, { name: "d" }))).toBe("403 data_source_quota_error");
  });
});
