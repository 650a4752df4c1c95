import { randomBytes } from "node:crypto";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { readEmbeddedUrl } from "@parley/db";
import { CreatedConversation } from "@parley/schema";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { jsonOf, pathsOf, send } from "../request.ts";
import {
  createPlace,
  eventually,
  type Place,
  type Server,
  settingsFor,
  startProgram,
  startServer,
  within,
} from "../server.ts";

// What an embedded database takes of its disk: its log is written over again, and what retention has
// swept is used again.

const MEGABYTE = 1_048_576;
const CONVERSATIONS = 16;
const MESSAGES_EACH = 100;
const MESSAGE_BYTES = 400_000;
/** Twice `max_wal_size`: PostgreSQL may exceed that while a checkpoint is under way. */
const MAX_LOG_MEGABYTES = 512;

const ROUNDS = 10;
const ANSWERS = 10;
/** Many events, and little that is kept of them. */
const TOKENS = 3000;
const SCRIPT = { steps: [{ text: "la ".repeat(TOKENS) }], tokenDelayMs: 0.1 };

describe("an embedded database", { timeout: 240_000 }, () => {
  test(`keeps its log small under ${CONVERSATIONS * MESSAGES_EACH} messages of 400 KB`, async () => {
    await using place = await createPlace({ isEmbedded: true });
    await using server = await startServer(place);
    await using pool = await openPool(place);
    const largest = { log: 0 };
    const sayAll = async (): Promise<void> => {
      const messages = await converse(server);
      for (let count = 1; count < MESSAGES_EACH; count++) {
        const answer = await send(server, { path: messages, json: large() });
        expect(answer.status).toBe(200);
        if (count % 5 === 0) largest.log = Math.max(largest.log, (await measure(pool)).log);
      }
    };
    await Promise.all(Array.from({ length: CONVERSATIONS }, sayAll));
    const { tables, log } = await measure(pool);
    print(`${CONVERSATIONS * MESSAGES_EACH} messages: tables ${tables} MB, log ${log} MB`);
    print(`log at most ${largest.log} MB`);
    expect(largest.log).toBeLessThan(MAX_LOG_MEGABYTES);
    expect(tables).toBeGreaterThan((CONVERSATIONS * MESSAGES_EACH * MESSAGE_BYTES) / MEGABYTE);
  });

  test("levels off if retention sweeps round after round of answers", async () => {
    await using place = await createPlace({ isEmbedded: true });
    // A round stands for the minutes from one sweep to the next, in which autovacuum looks five times.
    const settings = path.join(place.directory, "postgresql/postgresql.conf");
    await appendFile(settings, "\nautovacuum_naptime = 1s\n");
    await using server = await startServer(place, { PARLEY_WORKSPACE_TURNS: "100" });
    await using pool = await openPool(place);
    const agentId = await createTalker(server);
    const sizes = [await measure(pool)];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(Array.from({ length: ANSWERS }, () => ask(server, agentId)));
      await sweep(place, pool);
      await eventually(async () => ((await isVacuumed(pool)) ? { value: true } : {}), 20_000);
      sizes.push(await measure(pool));
    }
    print(`tables after each round: ${sizes.map(({ tables }) => tables).join(", ")} MB`);
    print(`events after each round: ${sizes.map(({ events }) => events).join(", ")} MB`);
    print(`log after each round: ${sizes.map(({ log }) => log).join(", ")} MB`);
    const grown = (from: number, to: number) =>
      (sizes[to]?.tables ?? 0) - (sizes[from]?.tables ?? 0);
    // What is kept of an answer is some KB, most of it a page of the index. Unswept, both halves are equal.
    expect(grown(ROUNDS / 2, ROUNDS)).toBeLessThan(grown(0, ROUNDS / 2) / 5);
    expect(Math.max(...sizes.map(({ log }) => log))).toBeLessThan(MAX_LOG_MEGABYTES);
  });
});

const print = (line: string): void => void process.stdout.write(`growth: ${line}\n`);

async function openPool({ directory }: Place): Promise<pg.Pool & AsyncDisposable> {
  const pool = new pg.Pool({ connectionString: await readEmbeddedUrl(directory), max: 2 });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}

/** Sizes in megabytes. */
interface Sizes {
  /** With what is kept outside of them, and their indexes. */
  readonly tables: number;
  readonly events: number;
  readonly log: number;
}

async function measure(pool: pg.Pool): Promise<Sizes> {
  const { rows } = await pool.query<Record<keyof Sizes, string>>(`
    select (select sum(pg_total_relation_size(relid)) from pg_stat_user_tables) as tables,
      pg_total_relation_size('events') as events,
      (select sum(size) from pg_ls_waldir()) as log`);
  const megabytes = (bytes = "0") => Math.round((Number(bytes) / MEGABYTE) * 100) / 100;
  return {
    tables: megabytes(rows[0]?.tables),
    events: megabytes(rows[0]?.events),
    log: megabytes(rows[0]?.log),
  };
}

/** A message that no compression makes smaller. */
const large = () => ({
  content: randomBytes((MESSAGE_BYTES / 4) * 3).toString("base64"),
  mentions: [],
});

/** Begins a conversation with a large message: the path of its messages. */
async function converse(server: Server): Promise<string> {
  const { conversations } = pathsOf(server);
  const answer = await send(server, { path: conversations, json: { message: large() } });
  const { conversation } = jsonOf(answer, CreatedConversation).parsed;
  return `${conversations}/${conversation.sId}/messages`;
}

async function createTalker({ url, demo }: Server): Promise<string> {
  const rpc = createRpcClient({ url, apiKey: demo.operatorKey });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId: demo.workspaceId,
    name: "talker",
    description: "Says many words",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: SCRIPT,
  });
  return agentConfiguration.sId;
}

async function ask(server: Server, configurationId: string): Promise<void> {
  const message = { content: "Talk", mentions: [{ configurationId }] };
  const json = { message, blocking: true };
  const answer = await send(server, { path: pathsOf(server).conversations, json });
  const { conversation } = jsonOf(answer, CreatedConversation).parsed;
  const [said] = conversation.content.flat().filter(({ type }) => type === "agent_message");
  expect(said).toMatchObject({ status: "succeeded" });
}

/** Lets a day pass, and a worker sweep what is past retention then. */
async function sweep(place: Place, pool: pg.Pool): Promise<void> {
  await pool.query(
    "update logs set closed_at = closed_at - interval '25 hours' where trim_after is not null",
  );
  const url = (await readEmbeddedUrl(place.directory)) ?? "";
  const worker = startProgram(["worker"], { ...settingsFor(place), DATABASE_URL: url });
  await eventually(async () => {
    const { rows } = await pool.query(`
      select 1 from logs where trim_after is not null and closed_at < now() - interval '1 day' limit 1`);
    return rows.length === 0 ? { value: true } : {};
  }, 30_000);
  worker.signal("SIGTERM");
  expect(await within(20_000, worker.exited), worker.output.stderr).toBe(0);
}

/** Whether autovacuum has come to every table that has as many dead rows as it waits for. */
async function isVacuumed(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(`
    select 1 from pg_stat_user_tables t join pg_class c on c.oid = t.relid
    where n_dead_tup > current_setting('autovacuum_vacuum_threshold')::float
      + current_setting('autovacuum_vacuum_scale_factor')::float * greatest(reltuples, 0)
    limit 1`);
  return rows.length === 0;
}
