import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { skillDefinitions } from "./tables.ts";
import { migrateUpTo } from "../testing/migrate-up-to.ts";
import { createTemporaryDatabase } from "../testing/index.ts";

it("stores what each skill is, in the version that it has", async () => {
  const { url, drop } = await createTemporaryDatabase({ isBare: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrateUpTo(client, "0035_skill-versions");
  await client.query(`
    insert into workspaces (sid, name, created_at) values ('w', 'W', 0);
    insert into spaces (sid, workspace_id, name, kind, is_restricted, created_at, updated_at)
      select 'vlt_a', id, 'A', 'regular', true, 0, 0 from workspaces;
    insert into tools (sid, workspace_id, space_id, name, description, server_type, server, oauth_use_case,
      is_restricted_to_skills, created_at, updated_at)
      select 'msv_a', workspace_id, id, 'Shop', '', 'remote', '{}', 'platform_actions', false, 0, 0 from spaces;
    insert into skills (sid, workspace_id, name, status, availability, agent_facing_description,
      user_facing_description, reinforcement, requested_space_ids, manually_requested_space_ids, instructions,
      version, created_at, updated_at)
      select s.sid, w.id, s.sid, 'active', 'editors', 'a', 'u', 'auto', '["vlt_a"]', '["vlt_b"]', s.said, s.version,
        1, 2
      from workspaces w, (values ('one', 'Hello', 3), ('two', null, 0)) s (sid, said, version);
    insert into skill_attachments (skill_id, position, file_id, file_name)
      select id, n, 'fil_' || n, n || '.md' from skills, generate_series(0, 1) n where sid = 'one';
    insert into skill_tools (skill_id, tool_id, position)
      select s.id, t.id, 0 from skills s, tools t where s.sid = 'one'`);
  await client.end();

  const database = await openPostgres({ url, poolSize: 1 });
  const { skillId } = skillDefinitions;
  const shared = { createdAt: 2, editedBy: null, spaceIds: ["vlt_a", "vlt_b"] };
  const definition = {
    status: "active",
    availability: "editors",
    agentFacingDescription: "a",
    userFacingDescription: "u",
    icon: null,
    source: null,
    sourceMetadata: null,
    reinforcement: "auto",
    manuallyRequestedSpaceIds: ["vlt_b"],
  };
  const files = ["0", "1"].map((n) => ({ fileId: `fil_${n}`, fileName: `${n}.md` }));
  const tools = [{ sId: "msv_a", name: "Shop" }];
  expect(await database.db.select().from(skillDefinitions).orderBy(skillId)).toEqual([
    {
      ...shared,
      skillId: 1,
      version: 3,
      definition: {
        ...definition,
        name: "one",
        instructions: "Hello",
        fileAttachments: files,
        tools,
      },
    },
    {
      ...shared,
      skillId: 2,
      version: 0,
      definition: {
        ...definition,
        name: "two",
        instructions: null,
        fileAttachments: [],
        tools: [],
      },
    },
  ]);
  await database.close();
  await drop();
});
