import type pg from "pg";

const SKILLS = 20;

const statements: readonly string[] = [
  `insert into users (sid, workspace_id, username, email, first_name, last_name, full_name, provider,
      image, created_at)
    select 'useed' || id, id, 'API User', '', name, '', name, '', '', created_at
    from workspaces where sid like 'wseed%'`,
  `insert into api_keys (sid, workspace_id, user_id, name, hash, looks_mistyped, role, created_at)
    select 'key_seed' || w.id, w.id, u.id, w.name, encode(sha256(w.sid::bytea), 'hex'), false, 'user',
      w.created_at
    from workspaces w join users u on u.workspace_id = w.id where w.sid like 'wseed%'`,
  `insert into agents (sid, workspace_id, version, is_current, name, description, picture_url, status,
      scope, provider_id, model_id, temperature, max_steps_per_run, script, created_at)
    select a.sid, w.id, a.version, a.is_current, a.name, a.description, a.picture_url, a.status, a.scope,
      a.provider_id, a.model_id, a.temperature, a.max_steps_per_run, a.script, a.created_at
    from agents a, workspaces w where a.sid = 'helper' and w.sid like 'wseed%'`,
  `insert into skills (sid, workspace_id, name, status, availability, agent_facing_description,
      user_facing_description, reinforcement, instructions, created_at, updated_at)
    select 'skl_seed' || w.id || '_' || n, w.id, 'skill ' || n, 'active', 'workspace_users',
      repeat(md5(w.sid || n), 9), repeat(md5(w.sid || n), 6), 'off', repeat(md5(w.sid || n), 40), 0, 0
    from workspaces w, generate_series(1, ${SKILLS}) n where w.sid like 'wseed%'`,
];

/** Writes workspaces beside the demo's, each with a user, a key, the demo's agent and 20 skills. */
export async function seedWorkspaces(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into workspaces (sid, name, models, created_at)
      select 'wseed' || n, 'Seeded ' || n, d.models, d.created_at
      from workspaces d, generate_series(1, $1::int) n`,
    [count],
  );
  for (const statement of statements) await client.query(statement);
}
