import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { workspaceStorage } from "./tables.ts";
import { migrateUpTo } from "../testing/migrate-up-to.ts";
import { createTemporaryDatabase } from "../testing/index.ts";

it("lets what workspaces store already be counted", async () => {
  const { url, drop } = await createTemporaryDatabase({ isBare: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrateUpTo(client, "0039_workspace-storage");
  await client.query(
    "insert into workspaces (sid, name, created_at) values ('a', 'A', 0), ('b', 'B', 0)",
  );
  await client.end();

  const database = await openPostgres({ url, poolSize: 1 });
  const rows = await database.db.select().from(workspaceStorage);
  expect(rows).toMatchObject([
    { workspaceId: 1, countedBytes: 0, countedAt: null },
    { workspaceId: 2, countedBytes: 0, countedAt: null },
  ]);
  await database.close();
  await drop();
});
