import pg from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { conversations } from "./tables.ts";
import { migrateUpTo } from "../testing/migrate-up-to.ts";
import { createTemporaryDatabase } from "../testing/index.ts";

it("gives old conversations to the author of their first message, if that is a member", async () => {
  const { url, drop } = await createTemporaryDatabase({ isBare: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await migrateUpTo(client, "0024_users-own");
  await client.query(`
    insert into workspaces (sid, name, created_at) values ('w', 'W', 0), ('v', 'V', 0);
    insert into users (sid, workspace_id, username, email, first_name, last_name, full_name, provider,
      image, created_at)
      select u.sid, w.id, '', u.email, '', '', '', '', '', 0
      from workspaces w, (values ('service', ''), ('ada', 'ada@example.com'), ('bob', 'bob@example.com'))
        u (sid, email) where w.sid = 'w';
    insert into conversations (id, sid, workspace_id, api_key_id, title, visibility, created_at,
      updated_at, read_at)
      select n, 'c' || n, w.id, 1, '', 'unlisted', 0, 0, 0
      from workspaces w, generate_series(1, 4) n where w.sid = 'w';
    insert into messages (sid, id, workspace_id, conversation_id, rank, version, type, visibility,
      created_at, content, user_id)
      select m.sid, m.id, w.id, m.conversation_id, m.rank, 0, m.type, 'visible', 0, '', u.id
      from workspaces w, (values
        ('m1', 1, 1, 0, 'user_message', 'ada'), ('m2', 2, 1, 1, 'user_message', 'bob'),
        ('m3', 3, 2, 0, 'content_fragment', null), ('m4', 4, 2, 1, 'user_message', 'bob'),
        ('m5', 5, 3, 0, 'user_message', 'service'), ('m6', 6, 3, 1, 'user_message', 'ada')
      ) m (sid, id, conversation_id, rank, type, author)
      left join users u on u.sid = m.author where w.sid = 'w'`);
  const { rows } = await client.query<{ sid: string; id: string }>("select sid, id from users");
  await client.end();
  const userOf = new Map(rows.map(({ sid, id }) => [sid, Number(id)]));

  const database = await openPostgres({ url, poolSize: 1 });
  const { id, ownerId } = conversations;
  expect(await database.db.select({ id, ownerId }).from(conversations).orderBy(id)).toEqual([
    { id: 1, ownerId: userOf.get("ada") },
    { id: 2, ownerId: userOf.get("bob") },
    // Of the key's service user, and of nobody's message.
    { id: 3, ownerId: null },
    { id: 4, ownerId: null },
  ]);
  await database.close();
  await drop();
});
