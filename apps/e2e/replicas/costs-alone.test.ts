import { tapPostgres } from "@parley/core/testing-traffic";
import { ConversationPage } from "@parley/schema";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { createPlace, type ServerProcess, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createCosts, expectAtMost, turnRows } from "./count-costs.ts";

// What an operation asks of PostgreSQL if the API and a worker share a process, counted on the wire.

describe("costs in one process", () => {
  const stack = new AsyncDisposableStack();
  let server: ServerProcess;
  let costs: Awaited<ReturnType<typeof createCosts>>;
  beforeAll(async () => {
    const place = stack.use(await createPlace());
    const tap = stack.use(await tapPostgres(place.databaseUrl!));
    server = stack.use(
      // A process of its own, whose every statement is counted.
      await startServer(place, {
        DATABASE_URL: tap.url,
        PARLEY_RATE_CREATE_PER_MINUTE: "1000000",
        PARLEY_RATE_CREATE_PER_HOUR: "1000000",
        PARLEY_RATE_INVOKE_PER_MINUTE: "1000000",
      }),
    );
    const pool = new pg.Pool({ connectionString: place.databaseUrl, max: 1 });
    stack.defer(() => pool.end());
    costs = await createCosts({ sql: tap }, pool);
  });
  afterAll(() => stack.disposeAsync());

  const calls = createCalls(() => server);
  // Written as claimed: its row is not updated to begin.
  const rows = { ...turnRows, "update logs": 2, "update runs": 1 };

  test("an invocation, too", async () => {
    const path = pathsOf(server).invocations("add");
    const invoke = async () => {
      const answer = await send(server, { path, json: { a: 1, b: 2 } });
      expect(answer.status).toBe(201);
    };
    expectAtMost(await costs.costOf(invoke), {
      sql: { finish_invocations: 1, insert_invocations: 1 },
      rows: {
        "insert events": 2,
        "insert invocations": 1,
        "insert logs": 1,
        "insert runs": 1,
        "update invocations": 1,
        "update logs": 1,
        "update runs": 1,
      },
    });
  });

  test("a read of a conversation is two named statements, also of a page of it", async () => {
    const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
    const path = `${pathsOf(server).conversations}/${conversation.sId}`;
    const read = async (query: string) => {
      const answer = await send(server, { path: path + query });
      expect(answer.status).toBe(200);
    };
    // Named for the role of the key.
    const found = { find_conversation_admin: 1 };
    expectAtMost(await costs.costOf(() => read("")), {
      sql: { ...found, read_messages_after: 1 },
      rows: {},
    });
    expectAtMost(await costs.costOf(() => read("?limit=20")), {
      sql: { ...found, read_messages_before: 1 },
      rows: {},
    });
  });

  test("a list of conversations is one named statement, on each of its pages", async () => {
    for (let index = 0; index < 3; index++) await calls.create("Hello");
    const first = `${pathsOf(server).conversations}?limit=2`;
    const { lastValue } = ConversationPage.parse(
      JSON.parse((await send(server, { path: first })).text),
    );
    for (const path of [first, `${first}&lastValue=${lastValue}`]) {
      const cost = await costs.costOf(async () => {
        expect((await send(server, { path })).status).toBe(200);
      });
      expectAtMost(cost, { sql: { list_conversations_admin: 1 }, rows: {} });
    }
  });

  test("a page of runs is one named statement, and a second at the end of the list", async () => {
    await calls.create("Hello", ["helper"], { blocking: true });
    await calls.create("Hello", ["helper"], { blocking: true });
    const { workspaceId, operatorKey } = server.demo;
    const path = `/api/admin/workspaces/${workspaceId}/runs`;
    const read = async (query: string, key?: string) => {
      const answer = await send(server, { path: path + query, ...(key && { key }) });
      expect(answer.status).toBe(200);
    };
    const page = { list_runs_admin: 1 };
    const filtered = { list_runs_filtered_admin: 1 };
    const end = { find_last_looked_run: 1 };
    for (const [query, sql] of [
      ["?limit=1", page],
      ["?limit=100", { ...end, ...page }],
      ["?limit=1&kind=turn&status=succeeded", filtered],
      ["?limit=100&kind=turn", { ...end, ...filtered }],
    ] as const) {
      expectAtMost(await costs.costOf(() => read(query)), { sql, rows: {} });
    }
    const cost = await costs.costOf(() => read("?limit=1", operatorKey));
    expectAtMost(cost, { sql: { list_runs_operator: 1 }, rows: {} });
  });

  test("a blocking create needs two commits and no other statement", async () => {
    const cost = await costs.costOf(() => calls.create("Hello", ["helper"], { blocking: true }));
    expectAtMost(cost, { sql: { finish_turns: 1, insert_conversation: 1 }, rows });
  });
});
