import * as tables from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { desc, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createTestConversation,
  createTestCore,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "../../testing/testing.ts";
import { reachesConversation } from "../access/conversation-reach.ts";
import type { CoreContext } from "../create-core.ts";
import { activity } from "./conversation-activity.ts";
import { listConversations } from "./conversations.ts";

describe("conversations of two processes", () => {
  let test: TestCore;
  let processes: readonly [CoreContext, CoreContext];
  beforeAll(async () => {
    test = await openTestCore();
    const workspace = await insertTestWorkspace(test.core);
    // Each process has a block of ids, and the second has a clock that is two minutes behind.
    const second = createTestCore(test.core.database);
    second.clock.now = test.clock.now - 120_000;
    const first = await openTestContext(test.core, workspace);
    processes = [first, Object.assign(Object.create(second.core) as CoreContext, pick(first))];
  });
  afterAll(() => test.close());

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

  it("have a position too where a process that does not know of positions writes them", async () => {
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

  it("are listed without reading all messages of the server", async () => {
    const { db } = test.core.database;
    await db.execute(sql`
      insert into messages (sid, id, workspace_id, conversation_id, rank, version, type, visibility,
        created_at, content, status)
      select 'plan' || n, 1000000 + n, 1, 1000000 + n / 2, n % 2, 0, 'agent_message', 'visible', 0, '',
        'succeeded'
      from generate_series(1, 5000) n`);
    await db.execute(sql`analyze messages, conversations, actions, spaces`);
    const query = db
      .select({ row: tables.conversations, ...activity })
      .from(tables.conversations)
      .where(reachesConversation(processes[0]))
      .orderBy(desc(tables.conversations.workspaceId), desc(tables.conversations.position))
      .limit(21);
    const plan = JSON.stringify(await db.execute(sql`explain ${query.getSQL()}`));
    expect(plan).toContain("messages_by_rank");
    expect(plan).not.toContain("Seq Scan on messages");
  });

  it("refuse the cursor of an older server", async () => {
    await expect(async () => list(processes[0], { lastValue: "1000" })).rejects.toThrow(
      "must be a lastValue of a page",
    );
  });
});
