import { dataSourceTables } from "@parley/db";
import { readTableQuery } from "@parley/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { insertTestTable } from "../../testing/tables.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { queryRows } from "./query-rows.ts";
import type { StoredTable } from "./stored-tables.ts";

const CSV = `city,product,price,count,sold,since
Paris,Tea,0.1,5,true,2026-01-31
Paris,"O'Hara's ""milk""",0.2,,false,
Rome,tea,,7,,2026-01-31T12:00Z
Oslo,,3,12,true,2025-12-24
`;

describe("a query of a table", () => {
  const test = coreTest();
  let table: StoredTable;
  let huge: StoredTable;
  beforeAll(async () => {
    const workspace = await insertTestWorkspace(test.core);
    const context = await openTestContext(test.core, workspace);
    const wId = workspace.sid;
    const { space } = await test.operator.createSpace({ wId, name: "S" });
    const view = { wId, spaceId: space.sId, name: "V" };
    const { dataSourceView } = await test.operator.createDataSourceView(view);
    await insertTestTable(context, dataSourceView, { csv: CSV });
    // Rows of a second table are found by none of its queries.
    const other = await test.operator.createDataSourceView(view);
    await insertTestTable(context, other.dataSourceView, { csv: CSV });
    const third = await test.operator.createDataSourceView(view);
    await insertTestTable(context, third.dataSourceView, { csv: "n\n1e308\n1e308\n" });
    const all = test.core.database.db.select().from(dataSourceTables);
    [table, , huge] = (await all.orderBy(dataSourceTables.viewId)) as [
      StoredTable,
      StoredTable,
      StoredTable,
    ];
  });
  const ask = async (given: object) => {
    const query = readTableQuery({ ...given });
    if ("refused" in query) return query.refused;
    const answer = await queryRows(test.core.database.db, table, query);
    return "refused" in answer ? answer.refused : answer;
  };
  const cities = async (...filters: object[]) => {
    const answer = await ask({ columns: ["city"], filters });
    return typeof answer === "string" ? answer : answer.rows.flat().join(" ");
  };
  const is = (column: string, operator: string, value?: unknown) => ({ column, operator, value });

  it("gives rows in the order of the table, with what is empty as null", async () => {
    expect(await ask({ limit: 2, offset: 1 })).toEqual({
      columns: ["city", "product", "price", "count", "sold", "since"],
      rows: [
        ["Paris", "O'Hara's \"milk\"", 0.2, null, false, null],
        ["Rome", "tea", null, 7, null, "2026-01-31T12:00:00.000Z"],
      ],
      total: 4,
    });
  });

  it.for([
    [is("city", "eq", "Paris"), "Paris Paris"],
    [is("city", "ne", "Paris"), "Rome Oslo"],
    [is("product", "ne", "tea"), "Paris Paris Oslo"],
    [is("product", "contains", "O'HARA"), "Paris"],
    [is("product", "contains", "%"), ""],
    [is("product", "is_null"), "Oslo"],
    [is("product", "is_not_null"), "Paris Paris Rome"],
    [is("price", "lt", 0.2), "Paris"],
    [is("price", "lte", "0.2"), "Paris Paris"],
    [is("count", "gt", 5), "Rome Oslo"],
    [is("sold", "eq", true), "Paris Oslo"],
    [is("since", "gte", "2026-01-31"), "Paris Rome"],
    [is("since", "eq", "2026-01-31"), "Paris"],
    [{ column: "city", operator: "in", values: ["Rome", "Oslo"] }, "Rome Oslo"],
    [{ column: "count", operator: "in", values: [12, "7"] }, "Rome Oslo"],
    [is("city", "eq", "'; drop table x --"), ""],
  ] as const)("keeps rows where %j", async ([filter, found]) => {
    expect(await cities(filter)).toBe(found);
  });

  it("needs all of its filters", async () => {
    expect(await cities(is("city", "eq", "Paris"), is("sold", "eq", false))).toBe("Paris");
  });

  it("computes groups, exactly, and puts them in order", async () => {
    const aggregates = [
      { function: "sum", column: "price" },
      { function: "count" },
      { function: "count", column: "count" },
      { function: "max", column: "since" },
    ];
    const orderBy = [{ by: "count", descending: true }, { by: "city" }];
    expect(await ask({ groupBy: ["city"], aggregates, orderBy, limit: 2 })).toEqual({
      columns: ["city", "sum(price)", "count", "count(count)", "max(since)"],
      rows: [
        ["Paris", 0.3, 2, 1, "2026-01-31"],
        ["Oslo", 3, 1, 1, "2025-12-24"],
      ],
      total: 3,
    });
  });

  it("gives sums that are greater than any number of JSON as infinite", async () => {
    const aggregates = [{ function: "sum" as const, column: "n" }];
    expect(await queryRows(test.core.database.db, huge, { aggregates })).toMatchObject({
      rows: [["Infinity"]],
    });
  });

  it("computes all rows without groups", async () => {
    const aggregates = [
      { function: "avg", column: "count" },
      { function: "min", column: "city" },
      { function: "count_distinct", column: "city" },
    ];
    const none = [is("city", "eq", "Nowhere")];
    expect(await ask({ aggregates })).toMatchObject({ rows: [[8, "Oslo", 3]], total: 1 });
    expect(await ask({ aggregates, filters: none })).toMatchObject({ rows: [[null, null, 0]] });
  });

  it("puts rows in order by any column, what is empty last", async () => {
    const orderBy = [{ by: "price", descending: true }];
    expect(await ask({ columns: ["city"], orderBy })).toMatchObject({
      rows: [["Oslo"], ["Paris"], ["Paris"], ["Rome"]],
    });
  });

  it.for([
    [{ columns: ["nope"] }, 'columns[0]: the table has no column "nope", but city, product'],
    [{ filters: [is("price", "eq", "dear")] }, "filters[0].value: must be a number, as the other"],
    [{ filters: [is("price", "eq", "")] }, "filters[0].value: must be a number"],
    [{ filters: [is("price", "eq")] }, "filters[0].value: eq needs it"],
    [{ filters: [is("price", "contains", "1")] }, "contains needs a column of texts"],
    [{ filters: [is("price", "like", "1")] }, "filters[0].operator: "],
    [{ aggregates: [{ function: "sum", column: "city" }] }, "sum needs a column of numbers"],
    [{ aggregates: [{ function: "avg" }] }, "aggregates[0]: avg needs a column"],
    [{ groupBy: ["city"], orderBy: [{ by: "price" }] }, "orderBy[0].by: must be one of city"],
    [{ limit: 101 }, "limit: "],
  ] as const)("%j is refused with what is wrong", async ([query, message]) => {
    expect(await ask(query)).toContain(message);
  });
});
