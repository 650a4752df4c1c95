import { conversations } from "@parley/db";
import { endpoints, type InputOf, type ListedConversationPage, parseInput } from "@parley/schema";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endTestTurns } from "../../testing/finished-runs.ts";
import { openTestOperator, type TestOperator } from "../../testing/operator.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  type TestCore,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { saveStep } from "../turns/save-step.ts";
import { listAllConversations } from "./list-conversations.ts";

type Query = Omit<InputOf<(typeof endpoints)["conversations.listAll"]>, "wId">;

describe("the list of all conversations", () => {
  let test: TestCore;
  let operator: TestOperator;
  let workspace: WorkspaceRow;
  let context: CoreContext;
  let builder: CoreContext;
  beforeAll(async () => {
    test = await openTestCore();
    operator = openTestOperator(test.core);
  });
  beforeEach(async () => {
    await clearRuns(test.core);
    workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace);
    builder = await openTestContext(test.core, workspace, "builder");
    for (const sid of ["ann", "bob"]) await insertTestAgent(test.core, workspace, { sid });
    await insertTestFunction(test.core, workspace, { slug: "ask", requiresApproval: true });
  });
  afterAll(() => test.close());

  const list = (query: Query = {}, by = operator.context): Promise<ListedConversationPage> =>
    listAllConversations(
      by,
      parseInput(endpoints["conversations.listAll"], { wId: workspace.sid, ...query }),
    );
  const idsOf = async (query: Query = {}, by = operator.context) =>
    (await list(query, by)).conversations.map(({ sId }) => sId);
  const ask = async (agentIds: readonly string[] = ["ann"], body = {}) => {
    test.clock.now += 10;
    return (await createTestConversation(context, agentIds, body)).conversation;
  };

  it("shows whose each is, who answered and what happened last", async () => {
    const member = { wId: workspace.sid, email: "ada@x.test", firstName: "Ada" };
    await operator.addMember(member);
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
      user: { sId: context.caller.user.sid },
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
    await cancelMessages(context, { cId: cancelled.sId, messageIds });
    const blocked = await ask();
    const [claimed] = await claimTestTurns(test.core);
    const calls = [{ id: "c", name: "ask", params: {} }];
    const texts = { rawContents: [{ step: 0, content: "" }], chainOfThought: null };
    await saveStep(test.core, { ...claimed!, step: 0, calls, events: [], ...texts });
    const unanswered = await ask([]);
    await postTestMessage(context, failed.sId, { agentIds: ["bob"] });
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
      select 1000000000 + n, 'many' || n, ${workspace.id}, ${context.caller.apiKey.id}, 'T', 'unlisted',
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
    const closed = { wId: workspace.sid, name: "Closed", isRestricted: true };
    const keyIds = [context.caller.apiKey.sid];
    const { space } = await operator.createSpace({ ...closed, keyIds });
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
