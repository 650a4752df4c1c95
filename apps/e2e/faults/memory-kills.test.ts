import { createParley, createRpcClient } from "parley-client";
import pg from "pg";
import { expect, test } from "vitest";
import { createPlace, eventually, startServer } from "../server.ts";

// A server is killed while the transaction that saves a step with calls of the memory is at a point of its way: each
// write is there once, in its order, however often the step is repeated.

const LOCK = 36_037;
const PATH = "/memories/user/count.md";
const COUNT = 4;

/** Lets each write of a version wait for a lock: at once, or at the commit. */
const stopAtPoints = `
  create function wait_for_test() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(${LOCK});
    return new;
  end $$;
  create trigger wait_at_the_write before insert on memory_versions for each row
  when (new.version = 1) execute function wait_for_test();
  create constraint trigger wait_at_the_commit after insert on memory_versions
  deferrable initially deferred for each row when (new.version = 2) execute function wait_for_test();`;

const waiting = `
  select pid from pg_locks
  where locktype = 'advisory' and objid = ${LOCK} and not granted
    and database = (select oid from pg_database where datname = current_database())`;

const call = (params: Record<string, unknown>) => ({ name: "memory", params });
/** The text of the file after so many edits. */
const textAfter = (edits: number) => `at ${edits}`;

test.for([
  { name: "before the write", version: 1, isWritten: false },
  { name: "before the commit", version: 2, isWritten: false },
  { name: "after the commit", version: 2, isWritten: true },
])(
  "a kill $name of a memory loses no write and makes none twice",
  { timeout: 60_000 },
  async ({ version, isWritten }) => {
    const settings = { PARLEY_LEASE_MS: "1000" };
    await using place = await createPlace();
    await using resources = new AsyncDisposableStack();
    let server = await startServer(place, settings);
    resources.defer(() => server[Symbol.asyncDispose]());
    const { workspaceId: wId, adminKey } = server.demo;
    const admin = createRpcClient({ url: server.url, apiKey: adminKey });
    const { secret } = await admin.apiKeys.create.mutate({ wId, name: "app", role: "user" });
    const app = createRpcClient({ url: server.url, apiKey: secret });
    const scopes = ["conversations:read", "conversations:write"] as const;
    const token = (
      await app.userTokens.create.mutate({ wId, externalId: "ada", scopes: [...scopes] })
    ).secret;
    const edit = (edits: number) =>
      call({
        command: "str_replace",
        path: PATH,
        old_str: textAfter(edits),
        new_str: textAfter(edits + 1),
      });
    const { agentConfiguration } = await admin.agents.create.mutate({
      wId,
      name: "Counter",
      description: "Counts",
      model: { providerId: "simulated", modelId: "simulated-1" },
      memory: { user: "write" },
      script: {
        steps: [
          { toolCalls: [call({ command: "create", path: PATH, file_text: textAfter(0) })] },
          ...Array.from({ length: COUNT }, (_, edits) => ({ toolCalls: [edit(edits)] })),
          { text: "Counted" },
        ],
        tokenDelayMs: 0,
      },
    });
    const connect = async (): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: place.databaseUrl });
      await client.connect();
      resources.defer(() => client.end());
      return client;
    };
    const [database, locker] = [await connect(), await connect()];
    await database.query(stopAtPoints);
    const isAt = async (): Promise<number | undefined> =>
      (await database.query<{ pid: number }>(waiting)).rows[0]?.pid;
    await locker.query(`select pg_advisory_lock(${LOCK})`);
    const parley = createParley({ baseUrl: server.url, workspaceId: wId, apiKey: token });
    const mentions = [{ configurationId: agentConfiguration.sId }];
    const { conversation } = await parley.conversations.create({
      message: { content: "Count", mentions },
    });
    const cId = conversation.sId;
    const reach = async (): Promise<number> =>
      eventually(async () => {
        const pid = await isAt();
        return pid === undefined ? {} : { value: pid };
      }, 20_000);
    let pid = await reach();
    if (version === 2) {
      // The first one passes, and the next is held at its commit.
      await locker.query(`select pg_advisory_unlock(${LOCK}); select pg_advisory_lock(${LOCK})`);
      pid = await reach();
    }
    await server.kill();
    if (!isWritten) await database.query("select pg_terminate_backend($1)", [pid]);
    await locker.query(`select pg_advisory_unlock(${LOCK})`);
    await eventually(async () => ((await isAt()) === undefined ? { value: true } : {}), 20_000);
    server = await startServer(place, settings);
    const answered = await eventually(async () => {
      const { rows } = await database.query<{ status: string; content: string }>(
        `select m.status, m.content from messages m join conversations c on c.id = m.conversation_id
         where c.sid = $1 and m.type = 'agent_message' and m.status <> 'created'`,
        [cId],
      );
      return rows[0] === undefined ? {} : { value: rows[0] };
    }, 30_000);
    expect(answered).toEqual({ status: "succeeded", content: "Counted" });
    const versions = await database.query<{ version: number; content: string; action: string }>(
      "select version, content, origin ->> 'actionId' as action from memory_versions order by id",
    );
    expect(versions.rows.map((row) => [row.version, row.content])).toEqual(
      Array.from({ length: COUNT + 1 }, (_, edits) => [edits, textAfter(edits)]),
    );
    const actions = await database.query<{ sid: string; status: string }>(
      `select a.sid, a.status from actions a join messages m on m.id = a.message_id
       join conversations c on c.id = m.conversation_id where c.sid = $1 order by a.step`,
      [cId],
    );
    // Each write is of a call that the answer has, once.
    expect(actions.rows.map(({ status }) => status)).toEqual(versions.rows.map(() => "succeeded"));
    expect(versions.rows.map(({ action }) => action)).toEqual(actions.rows.map(({ sid }) => sid));
  },
);
