import { JavaScriptProgram, type StoredJavaScript } from "@parley/schema";
import type pg from "pg";
import { settleDatabase } from "../scratch-database.ts";

/** The code that is measured: it adds two numbers, as the simulated function does. */
export const source = "export default async ({ a, b }) => ({ sum: a + b });\n";

/** Makes the demo's function `add` run code, as the server would have stored it. */
export async function giveCode(client: pg.Client): Promise<void> {
  const program: StoredJavaScript = {
    ...JavaScriptProgram.parse({ type: "javascript", source }),
    bundle: { code: source, map: "{}" },
  };
  await client.query(
    `update sandbox_function_versions v set program = $1
      from sandbox_functions f where f.id = v.function_id and f.slug = 'add'`,
    [JSON.stringify(program)],
  );
}

const AT_ONCE = 50_000;

// As the server would have left them: an invocation with its log, its run and two events.
const SEED = `
  with target as (
    select f.id, f.sid, f.workspace_id, f.version from sandbox_functions f where f.slug = 'add'
  ),
  ended as (
    insert into invocations (sid, workspace_id, function_id, function_version, status, input, result,
      created_at, finished_at, api_key_id)
    select 'sfi_seed' || lpad(n::text, 8, '0'), workspace_id, id, version, 'succeeded',
      '{"a":1,"b":2}', '{"sum":3}', 0, 0,
      (select min(id) from api_keys where api_keys.workspace_id = target.workspace_id)
    from target, generate_series($1::int, $2::int) n
    returning id, sid, workspace_id, function_id
  ),
  log as (
    insert into logs (id, last_seq, fence, closed_at, trim_after)
    select sid, 2, 1, now(), null from ended
  ),
  run as (
    insert into runs (log_id, kind, workspace_id, subject_id, function_id, status, priority, attempt,
      max_attempts, run_after, created_at, started_at, finished_at, outcome)
    select sid, 'invocation', workspace_id, id, function_id, 'finished', 0, 1, 1, now(), 0, 0, 0,
      'succeeded'
    from ended
  )
  insert into events (log_id, seq, type, payload)
  select ended.sid, seq, 'sandbox_function_invocation_' || type, json_build_object(
    'type', 'sandbox_function_invocation_' || type, 'created', 0, 'invocationId', ended.sid,
    'functionId', target.sid, 'result', json_build_object('sum', 3)
  )::text
  from ended, target, (values (1, 'created'), (2, 'result')) parts(seq, type)`;

/** Puts invocations of the demo's function `add` into a server's database, all of them ended. */
export async function seedEndedInvocations(client: pg.Client, count: number): Promise<void> {
  for (let from = 1; from <= count; from += AT_ONCE) {
    await client.query(SEED, [from, Math.min(count, from + AT_ONCE - 1)]);
  }
  await settleDatabase(client);
}
