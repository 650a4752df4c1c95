// What an invocation costs at least: three bare transactions through pg, of which the first inserts
// the rows of an invocation (itself, its log, its run and its first event), the second claims a run
// that waits, and the third ends it. Nobody is told of it, and nothing goes over HTTP.
// It is a generator that does a plan by itself, on as many connections as the plan has.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { readSettings } from "../config.ts";
import { answerLoads, type Loop } from "../load/closed-loop.ts";

const TABLES = `drop schema if exists floor cascade;
  create schema floor;
  create table floor.invocations(id bigint generated always as identity primary key,
    sid text unique, workspace_id bigint, function_id bigint, function_version int, api_key_id bigint,
    status text, input text, timezone text, result text, created_at bigint, finished_at bigint);
  create table floor.logs(id text primary key, last_seq int, fence int, closed_at timestamptz)
    with (fillfactor = 50);
  create table floor.runs(log_id text primary key, id bigint generated always as identity,
    kind text, workspace_id bigint, subject_id bigint, function_id bigint, status text, priority int,
    attempt int, max_attempts int, worker_id text, lease_until timestamptz, run_after timestamptz,
    created_at bigint) with (fillfactor = 50);
  create index on floor.runs(priority, id) where status = 'waiting';
  create table floor.events(log_id text, seq int, type text, payload text, primary key(log_id, seq))`;

const insert = `with invocation as (
    insert into floor.invocations(sid, workspace_id, function_id, function_version, api_key_id, status,
      input, created_at) values ($1, 1, 1, 1, 1, 'created', $2, 1795221619989) returning id
  ), log as (insert into floor.logs values ($1, 1, 0)),
  event as (insert into floor.events values ($1, 1, 'sandbox_function_invocation_created', $3))
  insert into floor.runs(log_id, kind, workspace_id, subject_id, function_id, status, priority,
    attempt, max_attempts, run_after, created_at)
  select $1, 'invocation', 1, id, 1, 'waiting', 0, 0, 1, now(), 1795221619989 from invocation`;

const claim = `with due as (
    select log_id from floor.runs where status = 'waiting' order by priority, id limit 1
    for update skip locked
  ), fenced as (update floor.logs set fence = 1 from due where logs.id = due.log_id)
  update floor.runs set status = 'running', attempt = attempt + 1, worker_id = $1,
    lease_until = now() + interval '15 seconds'
  from due where runs.log_id = due.log_id returning runs.log_id`;

const finish = `with log as (
    update floor.logs set last_seq = 2, closed_at = now() where id = $1 and fence = 1
  ), event as (
    insert into floor.events values ($1, 2, 'sandbox_function_invocation_result', $2)
  ), invocation as (
    update floor.invocations set status = 'succeeded', result = $3, finished_at = 1795221619989
    where sid = $1
  )
  update floor.runs set status = 'finished', lease_until = null where log_id = $1`;

const statements = { insert, claim, finish };
/** The size of the events that the server writes. */
const PAYLOAD = JSON.stringify({ type: "x".repeat(36), body: "x".repeat(120) });

async function invoke(client: pg.Client): Promise<void> {
  const execute = (name: keyof typeof statements, values: string[]) =>
    client.query<{ log_id: string }>({ name, text: statements[name], values });
  const sid = `sfi_${randomBytes(8).toString("base64url").slice(0, 10)}`;
  await execute("insert", [sid, '{"a":1,"b":2}', PAYLOAD]);
  const { rows } = await execute("claim", ["56a6cbb1-0f38-4f0a-b4e6-44f2a2fca1e8"]);
  // Another connection has claimed it, and ends it.
  for (const { log_id: claimed } of rows) await execute("finish", [claimed, PAYLOAD, '{"sum":3}']);
}

const { DATABASE_URL: url } = readSettings();

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function openLoop(): Promise<Loop> {
  const client = await connect();
  return { next: () => invoke(client), close: () => client.end() };
}

let prepared = false;

async function prepare(): Promise<void> {
  const client = await connect();
  await client.query(TABLES);
  await client.end();
  prepared = true;
}

answerLoads(async ({ connections }) => {
  if (!prepared) await prepare();
  return Promise.all(Array.from({ length: connections }, openLoop));
});
