import { statfs } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import type { BenchmarkOptions } from "../options.ts";
import { type MeasuredServer, startParley } from "../parley-server.ts";
import { openClient, settleDatabase } from "../scratch-database.ts";
import { type ConversationSeed, seedConversations } from "../seed/seed-conversations.ts";
import { formatNumber } from "../table.ts";

/** What a database holds: ten events for each conversation of a question and its answer. */
interface DatabaseSize extends ConversationSeed {
  readonly name: "small" | "big";
  /** Beside the demo's. */
  readonly workspaces: number;
  /** Space for the database, its indexes and the log of the writing. */
  readonly diskBytes: number;
}

const GIB = 2 ** 30;
const tenEvents = { messages: 2, tokens: 6 } as const;

export const small: DatabaseSize = {
  ...tenEvents,
  name: "small",
  conversations: 1000,
  workspaces: 0,
  diskBytes: 0,
};
export const big: DatabaseSize = {
  ...tenEvents,
  name: "big",
  conversations: 1_000_000,
  workspaces: 999,
  diskBytes: 12 * GIB,
};
export const quickBig: DatabaseSize = {
  ...big,
  conversations: 100_000,
  workspaces: 99,
  diskBytes: 2 * GIB,
};

/** Throws if the disk of the server has no room for the database, as far as that can be known. */
async function requireDisk(client: pg.Client, { diskBytes }: DatabaseSize): Promise<void> {
  const directory = await findDataDirectory(client);
  if (directory === undefined) return;
  // A server elsewhere has a directory that is not here.
  const disk = await statfs(directory).catch(() => undefined);
  if (disk === undefined || disk.bavail * disk.bsize >= diskBytes) return;
  const free = ((disk.bavail * disk.bsize) / GIB).toFixed(1);
  throw new Error(`${diskBytes / GIB} GiB must be free for the database: ${directory} has ${free}`);
}

/** Only privileged accounts are told. */
async function findDataDirectory(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ setting: string }>(
    "select setting from pg_settings where name = 'data_directory'",
  );
  return rows[0]?.setting;
}

const SKILLS = 20;
/** The time that the answers are spread over. */
export const MEASURED_DAYS_MS = 30 * 86_400_000;
const LOOK_MS = 200;
/** Conversations whose answers the server adds to its sums in one look. */
const SUMMED_AT_ONCE = 100_000;

const workspaceStatements: readonly string[] = [
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
async function seedWorkspaces(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into workspaces (sid, name, models, created_at)
      select 'wseed' || n, 'Seeded ' || n, d.models, d.created_at
      from workspaces d, generate_series(1, $1::int) n`,
    [count],
  );
  for (const statement of workspaceStatements) await client.query(statement);
}

/** A server on a database of some size. */
interface SizedServer {
  readonly server: MeasuredServer;
  /** Some of the demo workspace, in a random order. */
  readonly conversationIds: readonly string[];
}

const PROGRESS_MS = 10_000;

/** Starts a server on a new database, and fills that. Throws if the disk has no room. */
export async function startSizedServer(
  { postgres, resources, print }: BenchmarkOptions,
  size: DatabaseSize,
): Promise<SizedServer> {
  const database = await postgres.createDatabase(resources, `size_${size.name}`);
  const client = await openClient(resources, database.url);
  await requireDisk(client, size);
  const server = await startParley(resources, database, { name: size.name });
  const holder = await openClient(resources, database.url);
  await holdMeasures(holder);
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  await seedWorkspaces(client, size.workspaces);
  let printedAt = startedAt;
  const apartMs = MEASURED_DAYS_MS / size.conversations;
  let summed = 0;
  const conversationIds = await seedConversations(client, { ...size, apartMs }, async (written) => {
    if (written - summed >= SUMMED_AT_ONCE) {
      await addToSums(holder);
      await holdMeasures(holder);
      summed = written;
    }
    if (performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    print(`${written.toLocaleString("en")} conversations, ${seconds()} s\n`);
  });
  const writtenIn = seconds();
  await settleDatabase(client);
  await addToSums(holder);
  await rollUp(holder);
  print(`${size.name}: all answers in the sums after ${seconds()} s\n`);
  await settleDatabase(client);
  print(
    `${await describeContent(client)}: written in ${writtenIn} s, vacuumed by ${seconds()} s\n`,
  );
  return { server, conversationIds };
}

/** Keeps the server from adding answers to its sums until they are all there. */
async function holdMeasures(client: pg.Client): Promise<void> {
  for (;;) {
    await client.query("begin");
    const position = "select from measure_positions where name = 'answers' for update";
    const { rowCount } = await client.query(position);
    if (rowCount === 1) return;
    await client.query("commit");
    await pause(LOOK_MS);
  }
}

/** Lets the server add what is written to its sums, as if it had never looked, until it has. */
async function addToSums(holder: pg.Client): Promise<void> {
  await holder.query("update measure_positions set scan_from = 0 where name = 'answers'");
  await holder.query("commit");
  await until(
    holder,
    "select scan_from > 0 as is_so from measure_positions where name = 'answers'",
  );
}

/** Waits until the hours and days have the minutes that are over. */
async function rollUp(client: pg.Client): Promise<void> {
  await until(
    client,
    `select not exists (
      select from measure_sums m join measure_positions p on p.name = 'rolled'
      where m.period = 'minute' and m.dimension = 'all' and m.starts_at >= p.scan_from
        and m.starts_at < extract(epoch from now()) * 1000 - 600000
    ) as is_so`,
  );
}

/** Asks until it is so. */
async function until(client: pg.Client, question: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is_so: boolean }>(question);
    if (rows[0]?.is_so === true) return;
    await pause(LOOK_MS);
  }
}

async function describeContent(client: pg.Client): Promise<string> {
  const { rows } = await client.query<
    Record<"events" | "conversations" | "workspaces" | "bytes", string>
  >(
    `select (select count(*) from events) as events,
      (select count(*) from conversations) as conversations,
      (select count(*) from workspaces) as workspaces,
      pg_database_size(current_database()) as bytes`,
  );
  const [content] = rows;
  const count = (text: string | undefined) => Number(text).toLocaleString("en");
  const size = `${formatNumber(Number(content?.bytes) / 2 ** 20)} MiB`;
  return (
    `${count(content?.events)} events, ${count(content?.conversations)} conversations, ` +
    `${count(content?.workspaces)} workspaces, ${size}`
  );
}
