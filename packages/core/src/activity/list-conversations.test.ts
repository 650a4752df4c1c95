import { conversations } from "@parley/db";
import { endpoints, type InputOf, type ListedConversationPage, parseInput } from "@parley/schema";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { endTestTurns } from "../../testing/finished-runs.ts";
import {
  claimTestTurns,
  createTestConversation,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import type { CoreContext } from "../create-core.ts";
import { saveStep } from "../turns/save-step.ts";
import { listAllConversations } from "./list-conversations.ts";

type Query = Omit<InputOf<(typeof endpoints)["conversations.listAll"]>, "wId">;

describe("the list of all conversations", () => {
  const test = workspaceTest({ agents: ["ann", "bob"] });
  let builder: CoreContext;
  beforeEach(async () => {
    builder = await openTestContext(test.core, test.workspace, "builder");
    await insertTestFunction(test.core, test.workspace, { slug: "ask", requiresApproval: true });
  });

  const list = (query: Query = {}, by = test.operator.context): Promise<ListedConversationPage> =>
    listAllConversations(
      by,
      parseInput(endpoints["conversations.listAll"], { wId: test.workspaceId, ...query }),
    );
  const idsOf = async (query: Query = {}, by = test.operator.context) =>
    (await list(query, by)).conversations.map(({ sId }) => sId);
  const ask = async (agentIds: readonly string[] = ["ann"], body = {}) => {
    test.clock.now += 10;
    return (await createTestConversation(test.context, agentIds, body)).conversation;
  };

  it("shows whose each is, who answered and what happened last", async () => {
    const member = { wId: test.workspaceId, email: "ada@x.test", firstName: "Ada" };
    await test.operator.addMember(member);
    const mentions = [{ configurationId: "bob" }, { configurationId: "ann" }];
    const author = { email: "ada@x.test", username: "ada", timezone: "UTC" };
    const message = { content: "Hello", mentions, context: author };
    const { sId } = await ask(["ann"], { message, title: "A greeting" });
    const createdAt = test.clock.now;
    test.clock.now += 3000;
    await endTestTurns(test.core);
    const page = await list();
    expect(endpoints["conversations.listAll"].output.strict().parse(page)).toEqual(page);
    expect(page).toEqual({
      conversations: [
        {
          sId,
          title: "A greeting",
          status: "succeeded",
          createdAt,
          lastActivityAt: test.clock.now,
          messageCount: 3,
          user: { sId: expect.any(String), name: "Ada" },
          agents: [
            { sId: "ann", name: "ann" },
            { sId: "bob", name: "bob" },
          ],
          spaceId: null,
        },
      ],
      hasMore: false,
      lastValue: expect.any(String),
    });
    const { sId: ofKey } = await ask([]);
    expect((await list()).conversations[0]).toMatchObject({
      sId: ofKey,
      status: "unanswered",
      user: { sId: test.context.caller.user.sid },
      agents: [],
      messageCount: 1,
    });
  });

  it("says and filters by the state of the newest answer", async () => {
    const answered = await ask();
    await endTestTurns(test.core);
    const failed = await ask();
    await endTestTurns(test.core, { code: "x", message: "X", metadata: null });
    const cancelled = await ask();
    const messageIds = [cancelled.content[1]![0]!.sId];
    await cancelMessages(test.context, { cId: cancelled.sId, messageIds });
    const blocked = await ask();
    const [claimed] = await claimTestTurns(test.core);
    const calls = [{ id: "c", name: "ask", params: {} }];
    const texts = { rawContents: [{ step: 0, content: "" }], chainOfThought: null };
    await saveStep(test.core, { ...claimed!, step: 0, calls, events: [], ...texts });
    const unanswered = await ask([]);
    await postTestMessage(test.context, failed.sId, { agentIds: ["bob"] });
    const states = {
      succeeded: answered,
      running: failed,
      cancelled,
      blocked,
      unanswered,
    };
    for (const [status, { sId }] of Object.entries(states)) {
      expect(await idsOf({ status: status as "running" })).toEqual([sId]);
    }
    expect(await idsOf({ status: "errored" })).toEqual([]);
  });

  it("finds titles, agents and times", async () => {
    const first = await ask(["ann"], { title: "Refund of 100% (A_b\\c)" });
    const between = test.clock.now + 5;
    const second = await ask(["bob"], { title: "Größe" });
    expect(await idsOf({ title: "REFUND" })).toEqual([first.sId]);
    expect(await idsOf({ title: "0% (a_B\\" })).toEqual([first.sId]);
    expect(await idsOf({ title: "größe" })).toEqual([second.sId]);
    expect(await idsOf({ title: "%" })).toEqual([first.sId]);
    expect(await idsOf({ title: "A.b" })).toEqual([]);
    expect(await idsOf({ agentId: "bob" })).toEqual([second.sId]);
    expect(await idsOf({ agentId: "nobody" })).toEqual([]);
    expect(await idsOf({ from: between })).toEqual([second.sId]);
    expect(await idsOf({ to: between })).toEqual([first.sId]);
    expect(await idsOf({ to: between, agentId: "bob" })).toEqual([]);
  });

  it("pages without a gap or a repeat, also among conversations of one time", async () => {
    const time = test.clock.now;
    for (let count = 0; count < 5; count++) {
      await ask([]);
      test.clock.now = time;
    }
    const seen: string[] = [];
    let lastValue: string | undefined;
    for (let page = 1; page <= 3; page++) {
      const listed = await list({ limit: 2, ...(lastValue !== undefined && { lastValue }) });
      expect(listed.hasMore).toBe(page < 3);
      seen.push(...listed.conversations.map(({ sId }) => sId));
      lastValue = listed.lastValue!;
    }
    expect(seen).toEqual(await idsOf());
    expect(new Set(seen).size).toBe(5);
  });

  it("bounds the search for a page, and says that there is more to look at", async () => {
    const { sId } = await ask(["bob"]);
    await test.core.database.db.execute(sql`
      insert into conversations (id, sid, workspace_id, api_key_id, title, visibility, created_at,
        updated_at, read_at)
      select 1000000000 + n, 'many' || n, ${test.workspace.id}, ${test.context.caller.apiKey.id}, 'T', 'unlisted',
        ${test.clock.now}::bigint + n, 0, 0
      from generate_series(1, 2000) n`);
    const first = await list({ agentId: "bob" });
    expect(first).toMatchObject({ conversations: [], hasMore: true });
    const second = await list({ agentId: "bob", lastValue: first.lastValue! });
    expect(second).toMatchObject({ conversations: [{ sId }], hasMore: false });
    expect(await idsOf({ title: "Hello" })).toEqual([sId]);
    await test.core.database.db.delete(conversations);
  });

  it("shows what the caller reaches, and operators everything", async () => {
    const closed = { wId: test.workspaceId, name: "Closed", isRestricted: true };
    const keyIds = [test.context.caller.apiKey.sid];
    const { space } = await test.operator.createSpace({ ...closed, keyIds });
    const open = await ask();
    const hidden = await ask(["ann"], { spaceId: space.sId });
    expect((await list()).conversations).toMatchObject([
      { sId: hidden.sId, spaceId: space.sId },
      { sId: open.sId, spaceId: null },
    ]);
    expect(await idsOf({}, builder)).toEqual([open.sId]);
    const elsewhere = await insertTestWorkspace(test.core);
    expect(await idsOf({}, await openTestContext(test.core, elsewhere, "builder"))).toEqual([]);
  });
});
