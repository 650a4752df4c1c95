import { endpoints, parseInput } from "@parley/schema";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import {
  createTestConversation,
  createTestCore,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { listConversations, readNewest } from "./conversations.ts";

describe("conversations of two processes", () => {
  const test = coreTest();
  let processes: readonly [CoreContext, CoreContext];
  beforeAll(async () => {
    const workspace = await insertTestWorkspace(test.core);
    // Each process has a block of ids, and the second has a clock that is two minutes behind.
    const second = createTestCore(test.core.database);
    second.clock.now = test.clock.now - 120_000;
    const first = await openTestContext(test.core, workspace);
    processes = [first, Object.assign(Object.create(second.core) as CoreContext, pick(first))];
  });

  const pick = ({ caller, signal, agents, functions }: CoreContext) => ({
    caller,
    signal,
    agents,
    functions,
    preferredWaitMs: 0,
  });
  const list = (context: CoreContext, query: object) => {
    const raw = { wId: context.caller.workspace.sid, ...query };
    return listConversations(context, parseInput(endpoints["conversations.list"], raw));
  };

  it("stand in the list as they were created, the newest first, whichever process created them", async () => {
    const created: { id: number; sId: string }[] = [];
    for (const number of [0, 1, 1, 0, 1, 0, 0, 1] as const) {
      created.unshift((await createTestConversation(processes[number], [])).conversation);
    }
    const ids = created.map(({ id }) => id);
    expect(ids).not.toEqual(ids.toSorted((a, b) => b - a));
    const expected = created.map(({ sId }) => sId);
    for (const context of processes) {
      const { conversations } = await list(context, { limit: 100 });
      expect(conversations.map(({ sId }) => sId)).toEqual(expected);
    }
  });

  it("come once each in pages, also while others are created", async () => {
    const before = await list(processes[0], { limit: 100 });
    const seen: string[] = [];
    let query: object = { limit: 3 };
    for (let page = 0, hasMore = true; hasMore; page++) {
      const answer = await list(processes[page % 2]!, query);
      seen.push(...answer.conversations.map(({ sId }) => sId));
      query = { limit: 3, lastValue: answer.lastValue };
      hasMore = answer.hasMore;
      await createTestConversation(processes[(page + 1) % 2]!, []);
    }
    expect(seen).toEqual(before.conversations.map(({ sId }) => sId));
  });

  it("have a position too if a process that does not know of positions writes them", async () => {
    const { db } = test.core.database;
    await db.execute(sql`
        insert into conversations
        select (r).* from (
          select json_populate_record(c, '{"id": 1, "sid": "older", "position": null}') as r
          from conversations c limit 1
        ) copied`);
    const { conversations } = await list(processes[0], { limit: 1 });
    expect(conversations[0]?.sId).toBe("older");
  });

  it("are found by an index, however many a workspace has", async () => {
    await test.core.database.transaction(async (db) => {
      await db.execute(sql`set local enable_seqscan = off`);
      const rows = await db.execute(sql`
          explain select * from conversations where workspace_id = 1 and position < 1000
          order by workspace_id desc, position desc limit 21`);
      const plan = JSON.stringify(rows);
      expect(plan).toContain("Index Scan Backward using conversations_by_position");
      expect(plan).not.toContain("Sort");
    });
  });

  it.each([
    ["key of role user", "conversations_by_key"],
    ["token", "conversations_by_owner"],
    ["builder", "conversations_by_position"],
  ])("are listed for a %s without reading and sorting all of the server", async (kind, index) => {
    const { db } = test.core.database;
    const [first] = processes;
    const { apiKey, workspace, user } = first.caller;
    await db.execute(sql`
      insert into messages (sid, id, workspace_id, conversation_id, rank, version, type, visibility,
        created_at, content, status)
      select 'plan' || n, 1000000 + n, 1, 1000000 + n / 2, n % 2, 0, 'agent_message', 'visible', 0, '',
        'succeeded'
      from generate_series(1, 5000) n on conflict do nothing`);
    await db.execute(sql`
      insert into conversations (id, sid, workspace_id, api_key_id, owner_id, title, visibility,
        created_at, updated_at, read_at)
      select 1000000 + n, 'plan' || n, ${workspace.id}, ${apiKey.id} + n % 2, ${user.id} + n % 2, '', 'unlisted', 0, 0, 0
      from generate_series(1, 5000) n on conflict do nothing`);
    await db.execute(sql`analyze messages, conversations, actions, spaces`);
    const token = { sid: "tok", scopes: new Set([]), spaceIds: [], expiresAt: 0 };
    const callers = {
      "key of role user": first.caller,
      token: { ...first.caller, userToken: { ...token, keyRole: "builder" } },
      builder: { ...first.caller, apiKey: { ...apiKey, role: "builder" } },
    };
    const caller = callers[kind as keyof typeof callers];
    const values = { before: Number.MAX_SAFE_INTEGER, count: 21 };
    const plan = await test.core.database.transaction(async (tx) => {
      // PostgreSQL decides after five runs whether one plan serves all values.
      for (let time = 1; time <= 6; time++) await readNewest(tx, caller, values);
      const result: unknown = await tx.execute(sql`
        select statement, generic_plans from pg_prepared_statements
        where starts_with(name, 'list_conversations') order by prepare_time desc limit 1`);
      // The rows of the driver.
      const [prepared] = (result as { rows: { statement: string; generic_plans: number }[] }).rows;
      expect(prepared?.generic_plans).toBeGreaterThan(0);
      const explained = sql.raw(`explain (generic_plan) ${prepared?.statement}`);
      return JSON.stringify(await tx.execute(explained));
    });
    expect(plan).toContain("messages_by_rank");
    expect(plan).not.toContain("Seq Scan on messages");
    expect(plan).not.toContain("Seq Scan on conversations");
    expect(plan).toContain(`Index Scan Backward using ${index} on conversations`);
  });

  it("refuse the cursor of an older server", async () => {
    await expect(async () => list(processes[0], { lastValue: "1000" })).rejects.toThrow(
      "must be a lastValue of a page",
    );
  });
});
