import { eq } from "drizzle-orm";
import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { agentEditors, agents, users } from "./tables.ts";
import { migrateUpTo } from "../testing/migrate-up-to.ts";
import { createTemporaryDatabase } from "../testing/index.ts";

it("gives agents of before no effort, no tags and no editors", async () => {
  const { url, drop } = await createTemporaryDatabase({ isBare: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrateUpTo(client, "0041_agent-members");
  await client.query(`
    insert into workspaces (sid, name, created_at) values ('w', 'W', 0);
    insert into users (sid, workspace_id, username, email, first_name, last_name, full_name, provider, image, created_at)
      select 'u', id, 'ada', 'ada@example.com', 'Ada', '', 'Ada', '', '', 0 from workspaces;
    insert into agents (sid, workspace_id, version, is_current, name, description, picture_url, status, scope,
        provider_id, model_id, temperature, max_steps_per_run, created_at)
      select 'clerk', id, 0, true, 'Clerk', '', '', 'active', 'visible', 'simulated', 'simulated-1', 0.7, 8, 0
      from workspaces`);
  await client.end();

  const database = await openPostgres({ url, poolSize: 1 });
  const { db } = database;
  const [agent] = await db.select().from(agents);
  expect(agent).toMatchObject({ name: "Clerk", reasoningEffort: null, tags: [] });
  expect(await db.$count(agentEditors)).toBe(0);
  const [user] = await db.select().from(users).where(eq(users.sid, "u"));
  const editor = { workspaceId: agent!.workspaceId, agentSid: "clerk", userId: user!.id };
  await db.insert(agentEditors).values(editor);
  expect(await db.select().from(agentEditors)).toEqual([editor]);
  await database.close();
  await drop();
});
