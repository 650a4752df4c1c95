import type pg from "pg";

/**
 * Lists of these many skills of about 4 KB, each under the status that it is asked with. So many
 * connections ask that neither side falls asleep: to wake the other costs more than to answer.
 */
export const listSizes = [
  { skills: 20, status: "archived", connections: 64 },
  { skills: 1000, status: "suggested", connections: 16 },
] as const;
export type ListSize = (typeof listSizes)[number];

const text = (bytes: number) =>
  `(select left(string_agg(md5(n || '/' || m), ' '), ${bytes}) from generate_series(1, 60) m)`;

/** Puts skills, each with a file and the demo's tool, in the place of the demo's. */
export async function seedSkills(client: pg.Client): Promise<void> {
  await client.query("delete from skill_attachments");
  await client.query("delete from skill_tools");
  await client.query("delete from skills");
  for (const { skills, status } of listSizes) {
    await client.query(
      `insert into skills (sid, workspace_id, name, status, availability, agent_facing_description,
          user_facing_description, reinforcement, instructions, instructions_html, created_at, updated_at)
        select 'skl_' || $1 || n, w.id, 'skill ' || n, $1, 'workspace_users', ${text(300)}, ${text(200)},
          'off', ${text(1400)}, ${text(1500)}, 0, 0
        from workspaces w, generate_series(1, $2::int) n`,
      [status, skills],
    );
  }
  await client.query(`insert into skill_attachments
    select id, 0, 'fil_' || id, 'examples.md' from skills`);
  await client.query("insert into skill_tools select s.id, t.id, 0 from skills s, tools t");
  await client.query("analyze");
}

/** Changes a skill of a list, so that the next list is made again. */
export async function touchSkill(client: pg.Client, { status }: ListSize): Promise<void> {
  await client.query(
    `update skills set updated_at = updated_at + 1
      where id = (select min(id) from skills where status = $1)`,
    [status],
  );
}
