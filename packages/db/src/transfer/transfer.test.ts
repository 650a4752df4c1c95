import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { openPostgres } from "../open-postgres.ts";
import { createTemporaryDatabase, openTestDatabase } from "../../testing/index.ts";
import { countsWithin, exportDatabase } from "./export-database.ts";
import { inOrderOfReferences, RefusedTransfer, select } from "./format.ts";
import { importDatabase } from "./import-database.ts";

const SECRET = "what nobody may read in an error";

/** Values that come back changed from what is careless. */
const fill = sql`
  with secret as (
    insert into server_secrets (name, value)
    select n::text, ${`${SECRET} "quoted"\n[line]\\ {"table": 1} 🙂`}::text || n
    from generate_series(1, 700) n
  ),
  log as (
    insert into logs (id, last_seq, fence, closed_at, trim_after) values
      ('log', 3, 2, timestamptz '2030-01-01 12:00:00.123456+02', null), ('', 0, 0, null, 0)
  )
  insert into actions (sid, message_id, step, position, tool_name, function_call_name,
    function_call_id, status, params, output, created_at, updated_at)
  values
    ('one', 9007199254740991, 0, 0, '', '', '', 'succeeded', '{"b": 1.0, "a": [1e3]}', 'null', 1, 1),
    ('two', 1, 0, 0, 'null', '[]', '{}', 'created', '[]', null, 1, 1)`;

async function collect(database: Database): Promise<string> {
  let text = "";
  await exportDatabase(database, async (lines) => void (text += lines));
  return text;
}

const read = async function* (text: string): AsyncGenerator<string> {
  yield* text.split("\n").slice(0, -1);
};

describe("moving a database", () => {
  const opened: Database[] = [];
  const open = async () => {
    const database = await openTestDatabase();
    opened.push(database);
    return database;
  };
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });

  it("brings every value and every number, and leaves nothing behind", async () => {
    const source = await open();
    await source.db.execute(fill);
    await source.db.execute(sql`select nextval('row_ids')`);
    const text = await collect(source);
    const target = await open();
    expect(await importDatabase(target, read(text))).toMatchObject({ rows: 704 });
    expect(await collect(target)).toBe(text);
    const rows = await select(
      target.db,
      `select nextval('row_ids')::int as id, (select count(*)::int from actions
        where output = 'null'::jsonb) as nulls`,
    );
    expect(rows).toEqual([{ id: 2000, nulls: 1 }]);
    await target.db.execute(sql`insert into actions (sid, message_id, step, position, tool_name,
      function_call_name, function_call_id, status, params, created_at, updated_at)
      values ('three', 2, 0, 0, '', '', '', 'created', '[]', 1, 1)`);
  });
});

describe("an import", () => {
  let text = "";
  const opened: Database[] = [];
  const open = async () => {
    const database = await openTestDatabase();
    opened.push(database);
    return database;
  };
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });

  it("refuses what is not a whole export, and writes nothing of it", async () => {
    const source = await open();
    await source.db.execute(fill);
    text = await collect(source);
    const target = await open();
    const before = await collect(target);
    const lines = text.split("\n");
    const version = /another version/;
    for (const [broken, message] of [
      ["", /cut off/],
      ["no export\n", /not a Parley export/],
      [lines.slice(0, 40).join("\n"), /cut off/],
      [lines.slice(0, -2).join("\n"), /cut off/],
      [text.replace("9007199254740991", "9007199254740990"), /changed/],
      [text.replace('"format":1', '"format":2'), version],
      [text.replace(/"migration":"./, '"migration":"-'), version],
      [text.replace('{"table":"actions"', '{"table":"strangers"'), /no such table/],
      [text.replace('"tool_name"', '"tool"'), /no such table/],
      [`${text}[]\n`, /after its end/],
    ] as const) {
      const error = await importDatabase(target, read(broken)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RefusedTransfer);
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message).not.toContain(SECRET);
    }
    expect(await collect(target)).toBe(before);
  });

  it("refuses a database that holds something", async () => {
    const target = await open();
    await target.db.execute(fill);
    const before = await collect(target);
    await expect(importDatabase(target, read(before))).rejects.toThrow(/use an empty one/);
    expect(await collect(target)).toBe(before);
  });
});

it("an export is of one moment, despite concurrent writes", async () => {
  const { url, drop } = await createTemporaryDatabase();
  const database = await openPostgres({ url });
  // The database's own handle may not be used inside its transaction.
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  try {
    await database.db.execute(fill);
    let text = "";
    await exportDatabase(database, async (lines) => {
      text += lines;
      await other.query(`insert into server_secrets (name, value)
          select 'late ' || count(*), '' from server_secrets`);
    });
    expect(text).not.toContain("late ");
    expect(text).toContain('"end":{"rows":704');
  } finally {
    await other.end();
    await database.close();
    await drop();
  }
});

describe("countsWithin", () => {
  it.each([
    ["nothing", [], []],
    ["small rows", [1, 2, 3], [3]],
    ["a large one among small ones", [1, 2 ** 23, 1, 1], [1, 1, 2]],
    ["large ones", [2 ** 23, 2 ** 23], [1, 1]],
    ["as much as may be", [2 ** 19, 2 ** 19, 1], [2, 1]],
  ])("divides %s", (_name, sizes, counts) => {
    expect(countsWithin(sizes)).toEqual(counts);
  });
});

describe("inOrderOfReferences", () => {
  const tables = ["a", "b", "c"].map((name) => ({ name, columns: [] }));

  it("puts tables after those that they refer to", () => {
    const references = [
      { from: "a", to: "c" },
      { from: "c", to: "b" },
      { from: "b", to: "b" },
    ];
    const names = inOrderOfReferences(tables, references).map(({ name }) => name);
    expect(names).toEqual(["b", "c", "a"]);
  });

  it("throws at a circle", () => {
    const references = [
      { from: "a", to: "b" },
      { from: "b", to: "a" },
    ];
    expect(() => inOrderOfReferences(tables, references)).toThrow("in a circle");
  });
});
