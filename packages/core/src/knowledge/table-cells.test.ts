import { TABLE_LIMITS as limits } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { readCsv } from "./csv-thread.ts";
import { fitRows, readCell, typeOf, writeTime } from "./table-cells.ts";

describe("the type of a column of texts", () => {
  it.for([
    [["1", "", "-20"], "int"],
    [["1", "2.5", "1e3"], "float"],
    [["true", "FALSE"], "bool"],
    [["2026-01-31", "2026-01-31 09:30", "2026-01-31T09:30:00+02:00"], "datetime"],
    // Codes keep their zeros, and long numbers their digits.
    [["0712", "1200"], "text"],
    [["12345678901234567"], "text"],
    [["2026-02-30"], "text"],
    [["1", "x"], "text"],
    [["", " "], "text"],
    [["Infinity"], "text"],
  ] as const)("of %j is %s", ([texts, type]) => {
    expect(typeOf(texts)).toBe(type);
  });
});

it("reads times in UTC unless they say otherwise, and writes days without a time", () => {
  const day = Date.UTC(2026, 0, 31);
  expect(readCell("datetime", "2026-01-31")).toBe(day);
  expect(readCell("datetime", "2026-01-31 02:00")).toBe(day + 7_200_000);
  expect(readCell("datetime", "2026-01-31T02:00:00+02:00")).toBe(day);
  expect([writeTime(day), writeTime(day + 1000)]).toEqual([
    "2026-01-31",
    "2026-01-31T00:00:01.000Z",
  ]);
});

describe("a table as CSV", () => {
  const read = (csv: string, columns = []) => readCsv({ csv, columns, limits });

  it("has quotes, breaks in cells, a mark of its encoding and empty cells", () => {
    const csv = '\uFEFFname,price,sold\r\n"Tea, ""green""\nloose",3.5,true\r\nMilk,,\r\n';
    expect(read(csv)).toEqual({
      columns: [
        { name: "name", type: "text" },
        { name: "price", type: "float" },
        { name: "sold", type: "bool" },
      ],
      rows: ['["Tea, \\"green\\"\\nloose",3.5,true]', '["Milk",null,null]'],
    });
  });

  it.for([";", "\t"])("may be separated by %j", (delimiter) => {
    expect(read(`a${delimiter}b\n1,5${delimiter}x`)).toMatchObject({ rows: ['["1,5","x"]'] });
  });

  it.for([
    ["a,b\n1\n", "line 2 has 1 cells, unlike the first line"],
    ["a,a\n1,2\n", 'the name of column 2, "a", is that of column 1 too'],
    ["a,\n1,2\n", "the name of column 2 is empty: the first line has the names of the columns"],
    ['a\n"x\n', "a quote is opened and never closed"],
    [
      'a,b\n1,x"y\n',
      "line 2, column 2: a quote must enclose the whole cell, and stand twice within one",
    ],
    ["\n\n", "must have a line with the names of the columns"],
    [`a,b\n1,${"x".repeat(8193)}`, 'row 1, column "b": must be at most 8192 characters'],
    [`a\n${"1\n".repeat(100_001)}`, "has 100001 rows, and a table may have 100000"],
    [
      Array.from({ length: 201 }, (_, n) => `c${n}`).join(","),
      "a table may have 200 columns, and this has 201",
    ],
  ] as const)("%#: is refused with what is wrong", ([csv, fault]) => {
    expect(read(csv)).toEqual({ fault });
  });

  it("is added to columns of before, whole numbers becoming others where one is", () => {
    const columns = [
      { name: "a", type: "int" },
      { name: "b", type: "bool" },
    ] as const;
    expect(readCsv({ csv: "c,a\nx,1.5", columns, limits })).toEqual({
      columns: [{ name: "a", type: "float" }, columns[1], { name: "c", type: "text" }],
      rows: ['[1.5,null,"x"]'],
    });
    expect(readCsv({ csv: "a,b\n1,true\n2,perhaps", columns, limits })).toEqual({
      fault:
        'row 2, column "b": "perhaps" must be true or false, as the other values of the column "b"',
    });
  });
});

describe("rows as JSON", () => {
  it("keep the order of columns, and add those that are new", () => {
    const time = { type: "datetime", epoch: 1 } as const;
    const rows = [
      { value: { b: 1, a: "x" } },
      { value: { c: time, b: 1.5 } },
      { value: { d: null } },
    ];
    expect(fitRows([{ name: "a", type: "text" }], rows, limits)).toEqual({
      columns: [
        { name: "a", type: "text" },
        { name: "b", type: "float" },
        { name: "c", type: "datetime" },
        { name: "d", type: "text" },
      ],
      rows: [
        ["x", 1],
        [null, 1.5, 1],
        [null, null, null, null],
      ],
    });
  });

  it("are refused with the row and the column", () => {
    const rows = [{ value: { price: 1 } }, { value: { price: "x" } }];
    expect(fitRows([], rows, limits)).toEqual({
      path: "rows[1].value.price",
      message: 'must be a number, as the other values of the column "price"',
    });
  });
});
