import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { sandboxFunctionVersions } from "./tables.ts";
import { migrateUpTo } from "../testing/migrate-up-to.ts";
import { createTemporaryDatabase } from "../testing/index.ts";

it("moves behaviours into programs, and stakes into approvals", async () => {
  const { url, drop } = await createTemporaryDatabase({ isBare: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrateUpTo(client, "0021_programs");
  const behaviour = { steps: [{ at: 0 }], result: "{'a': 1}", durationMs: 5 };
  await client.query(`
    insert into workspaces (sid, name, created_at) values ('w', 'W', 0);
    insert into sandbox_functions (sid, workspace_id, slug, created_at, updated_at)
      select 'sfn_x', id, 'x', 0, 0 from workspaces`);
  await client.query(
    `insert into sandbox_function_versions
       (function_id, version, description, behaviour, retryable, stake, created_at)
     select id, v.version, '', $1, false, v.stake, 0
     from sandbox_functions, (values (1, 'low'), (2, 'high')) v (version, stake)`,
    [JSON.stringify(behaviour)],
  );
  await client.end();

  const database = await openPostgres({ url, poolSize: 1 });
  const { version, program, requiresApproval } = sandboxFunctionVersions;
  const read = () =>
    database.db
      .select({ version, program, requiresApproval })
      .from(sandboxFunctionVersions)
      .orderBy(version);
  const simulated = { type: "simulated", behaviour };
  expect(await read()).toEqual([
    { version: 1, program: simulated, requiresApproval: false },
    { version: 2, program: simulated, requiresApproval: true },
  ]);
  const [first] = await database.db.select().from(sandboxFunctionVersions).limit(1);
  const { requiresApproval: _default, ...added } = { ...first!, version: 3 };
  await database.db.insert(sandboxFunctionVersions).values(added);
  expect((await read())[2]).toMatchObject({ version: 3, requiresApproval: false });
  await database.close();
  await drop();
});
