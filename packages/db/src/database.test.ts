import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";
import { workspaces } from "./tables.ts";
import { openTestDatabase } from "../testing/index.ts";
import { isDatabaseUnavailable } from "./unavailable.ts";

const one = statement<{ value: number }, { value: number }>(
  "one",
  sql`select ${sql.placeholder("value")}::int as value`,
);

const pid = statement<Record<string, never>, { pid: number }>(
  "pid",
  sql`select pg_backend_pid() as pid`,
);

describe("transactions", () => {
  let database: Database;
  beforeAll(async () => void (database = await openTestDatabase()));
  beforeEach(async () => void (await database.db.delete(workspaces)));
  afterAll(() => database.close());

  const count = () => database.db.$count(workspaces);
  const workspace = { sid: "w", name: "W", createdAt: 0 };

  it("commit what they wrote when they resolve", async () => {
    const result = await database.transaction(async (tx) => {
      await tx.insert(workspaces).values(workspace);
      return "done";
    });
    expect(result).toBe("done");
    expect(await count()).toBe(1);
  });

  it("keep nothing when they reject, and leave the database usable", async () => {
    const failed = database.transaction(async (tx) => {
      await tx.insert(workspaces).values(workspace);
      await tx.insert(workspaces).values(workspace);
    });
    await expect(failed).rejects.toThrow("Failed query");
    expect(await count()).toBe(0);
  });

  const uses: [string, (database: Database) => Promise<unknown>][] = [
    ["query", ({ db }) => db.select().from(workspaces)],
    ["count", ({ db }) => db.$count(workspaces)],
    ["raw statement", ({ db }) => db.execute(sql`select 1`)],
    ["named statement", ({ db }) => one.execute(db, { value: 1 })],
    ["transaction", (other) => other.transaction(async () => {})],
    ["ping", (other) => other.ping()],
  ];
  it.each(uses)(
    "refuse a %s of the database itself, and are rolled back by it",
    async (_name, use) => {
      const failed = database.transaction(async (tx) => {
        await tx.insert(workspaces).values(workspace);
        await use(database);
      });
      // Drizzle wraps what a query throws.
      const error: unknown = await failed.catch((thrown: unknown) => thrown);
      expect(`${String(error)} ${String((error as Error).cause)}`).toContain(
        "The database was used inside a transaction",
      );
      expect(await count()).toBe(0);
    },
  );

  it("refuse the database also if it is used several calls deep", async () => {
    const failed = database.transaction(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([1, 2].map(count));
    });
    await expect(failed).rejects.toThrow(/Failed query|used inside a transaction/);
  });

  it("leave the database to those outside, also while they run", async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const running = database.transaction(async () => {
      start();
      await released;
    });
    await started;
    const counted = count();
    release();
    await running;
    expect(await counted).toBe(0);
  });

  it("leave the database to what continues after they have ended", async () => {
    let after: Promise<number> | undefined;
    await database.transaction(async () => {
      after = new Promise((resolve) => setTimeout(resolve, 10)).then(count);
    });
    expect(await after).toBe(0);
  });

  it("run named statements, with the numbers that they return as numbers", async () => {
    const rows = await database.transaction((tx) => one.execute(tx, { value: 2 }));
    expect(rows).toEqual([{ value: 2 }]);
    const big = statement<Record<string, never>, { big: number }>(
      "big",
      sql`select 9007199254740991::bigint as big`,
    );
    expect(await big.execute(database.db, {})).toEqual([{ big: Number.MAX_SAFE_INTEGER }]);
  });

  it("are answered to a ping", async () => {
    await expect(database.ping()).resolves.toBeUndefined();
  });
});

describe("a closed database", () => {
  it("is unavailable, and a query that is wrong is not", async () => {
    const database = await openTestDatabase();
    const wrong = await database.db.execute(sql`select nothing`).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(wrong)).toBe(false);
    await database.close();
    const gone = await database.db.execute(sql`select 1`).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(gone)).toBe(true);
  });
});

describe("connections that break", () => {
  it("fail their transaction between two of its queries, and not the process", async () => {
    const database = await openTestDatabase();
    const { promise: held, resolve: hold } = Promise.withResolvers<number>();
    const { promise: broken, resolve: goOn } = Promise.withResolvers<void>();
    const failed = database
      .transaction(async (tx) => {
        const [row] = await pid.execute(tx, {});
        hold(row?.pid ?? 0);
        await broken;
        await tx.execute(sql`select 1`);
      })
      .catch((error: unknown) => error);
    await database.db.execute(sql`select pg_terminate_backend(${await held})`);
    // Its socket tells of it in a turn of the event loop of its own.
    await database.ping();
    goOn();
    expect(isDatabaseUnavailable(await failed)).toBe(true);
    await database.ping();
    await database.close();
  });
});
