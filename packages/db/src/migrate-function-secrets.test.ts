import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { functionSecrets } from "./tables.ts";
import { migrateUpTo } from "../testing/migrate-up-to.ts";
import { createTemporaryDatabase } from "../testing/index.ts";

it("numbers the secrets that there are", async () => {
  const { url, drop } = await createTemporaryDatabase({ isBare: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrateUpTo(client, "0044_provider-errors");
  await client.query(`
    insert into workspaces (sid, name, created_at) values ('w', 'W', 0);
    insert into function_secrets (workspace_id, name, key_id, ciphertext, created_at, updated_at)
      select id, s.called, 'k', 'c', 0, 0 from workspaces, (values ('A'), ('B')) s (called)`);
  await client.end();
  const database = await openPostgres({ url, poolSize: 1 });
  const { id, name } = functionSecrets;
  const numbered = await database.db.select({ id, name }).from(functionSecrets).orderBy(id);
  expect(numbered).toEqual([
    { id: 1, name: "A" },
    { id: 2, name: "B" },
  ]);
  await database.close();
  await drop();
});
