import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Database } from "@parley/db";
import { expect, test } from "vitest";
import { openDatabase } from "../faults/stored-state.ts";
import { createFileCalls } from "../files/calls.ts";
import { pathsOf, send } from "../request.ts";
import {
  createPlace,
  eventually,
  type Place,
  type Server,
  type Settings,
  startProgram,
  startServer,
} from "../server.ts";
import { answersOf, createCalls, mentionOf } from "../siblings/calls.ts";

// A server moves from its directory to PostgreSQL: what it has answered it continues answering.

/** So that addresses in answers do not tell the servers apart. */
const settings: Settings = { PARLEY_PUBLIC_URL: "http://parley.test" };

async function parley(
  args: string[],
  place: Place,
): Promise<{ code: number | null; said: string }> {
  const program = startProgram(args, {
    PARLEY_DATA_DIR: place.directory,
    ...(place.databaseUrl !== undefined && { DATABASE_URL: place.databaseUrl }),
  });
  const code = await program.exited;
  return { code, said: program.output.stdout + program.output.stderr };
}

/** Fills the demo workspace, and gives the paths of what can be read of it. */
async function fill(server: Server): Promise<string[]> {
  const calls = createCalls(() => server);
  const files = createFileCalls(() => server);
  const { conversations, invocations, events, skills, functions } = pathsOf(server);
  const file = await files.upload(Buffer.from([0, 255, 10, 92, 34, 195, 169]), {
    contentType: "application/octet-stream",
    fileName: "bytes.bin",
  });
  const { conversation } = await calls.create('Quotes " and \\ and\nlines and 🙂', ["helper"], {
    blocking: true,
    title: "Moved",
    contentFragments: [
      { title: "a file", content: "text\tof a fragment", contentType: "text/plain" },
    ],
  });
  const cId = conversation.sId;
  const script = { steps: [{ text: "word ".repeat(30) }], tokenDelayMs: 0 };
  const agent = await calls.createAgent("talker", script);
  await calls.post(cId, { content: "And?", mentions: mentionOf(agent), blocking: true });
  const invoked = await send(server, { path: invocations("add"), json: { a: 1, b: 2 } });
  expect(invoked.status).toBe(201);
  const { invocation } = JSON.parse(invoked.text) as { invocation: { sId: string } };
  const messages = answersOf(await calls.get(cId)).map(({ sId }) => sId);
  const sse = (tail: string) => tail.replace("/api/", "/api/sse/");
  return [
    conversations,
    `${conversations}/${cId}`,
    ...messages.map((sId) => sse(`${conversations}/${cId}/messages/${sId}/events`)),
    skills,
    functions,
    invocations("add"),
    sse(events("add", invocation.sId)),
    `${pathsOf(server).workspace}/files/${file.sId}`,
  ];
}

async function readAll(server: Server, paths: readonly string[]) {
  const answers = [];
  for (const one of paths) {
    const { status, text } = await send(server, { path: one, key: server.demo.adminKey });
    answers.push({ path: one, status, text });
  }
  return answers;
}

/** All rows of the tables that are moved as text, in an order that does not depend on the database. */
async function readRows({ db }: Database): Promise<Map<string, string[]>> {
  const select = async (query: string) => {
    // The driver gives the rows there.
    const { rows } = (await db.execute<{ name: string }>(query)) as { rows: { name: string }[] };
    return rows.map(({ name }) => name);
  };
  // What stands in unlogged tables every server makes again.
  const tables = await select(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind = 'r' and relpersistence = 'p' order by 1`,
  );
  await select("set timezone = 'UTC'");
  const rows = new Map<string, string[]>();
  for (const table of tables) {
    rows.set(table, (await select(`select t::text as name from "${table}" t`)).toSorted());
  }
  return rows;
}

async function readPlace(place: Place) {
  const database = await openDatabase(place);
  try {
    return await readRows(database);
  } finally {
    await database.close();
  }
}

test("a directory moves to a server", { timeout: 120_000 }, async () => {
  await using from = await createPlace({ isEmbedded: true });
  await using to = await createPlace();
  const file = path.join(path.dirname(from.directory), "parley.jsonl");
  let paths: string[];
  let answered: Awaited<ReturnType<typeof readAll>>;
  {
    // A process with a database of its own, which is moved.
    await using server = await startServer(from, settings);
    paths = await fill(server);
    answered = await readAll(server, paths);
    for (const one of answered) expect(one).toMatchObject({ status: 200 });
    const refused = await parley(["export", file], from);
    expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("is in use by") });
  }
  const exported = await parley(["export", file], from);
  expect(exported).toMatchObject({ code: 0, said: expect.stringMatching(/^Exported \d+ rows/m) });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const itself = await parley(["import", file], from);
  expect(itself).toMatchObject({ code: 1, said: expect.stringContaining("use an empty one") });

  const imported = await parley(["import", file], to);
  expect(imported.said.replace("Imported", "Exported")).toBe(exported.said);
  const rows = await readPlace(from);
  expect(rows.get("events")?.length).toBeGreaterThan(10);
  expect(await readPlace(to)).toEqual(rows);
  const twice = await parley(["import", file], to);
  expect(twice).toMatchObject({ code: 1, said: expect.stringContaining("use an empty one") });

  // Into another directory too.
  await using again = await createPlace({ isEmbedded: true, isBare: true });
  expect((await parley(["import", file], again)).said).toBe(imported.said);
  expect(await readPlace(again)).toEqual(rows);

  // With the directory's demo.json: a key that did not work would be refused.
  const keys = await readFile(path.join(from.directory, "demo.json"), "utf8");
  const moved: Place = { ...from, databaseUrl: to.databaseUrl };
  await using server = await startServer(moved, settings);
  expect(server.demo.adminKey).toBe((JSON.parse(keys) as { adminKey: string }).adminKey);
  expect(await readAll(server, paths)).toEqual(answered);
  // Its words are not moved: this server indexes the messages again.
  const search = `/api/admin/workspaces/${server.demo.workspaceId}/search/messages?query=Quotes`;
  const found = await eventually(async () => {
    const { status, text } = await send(server, { path: search, key: server.demo.adminKey });
    expect(status).toBe(200);
    const { messages } = JSON.parse(text) as { messages: { messageId: string }[] };
    return messages.length === 2 ? { value: messages } : {};
  }, 30_000);
  expect(found).toHaveLength(2);
  // Numbers continue behind those that were imported.
  await fill(server);
});
