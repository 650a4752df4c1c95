import { messages, spaces } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import { writeTestUsage } from "../../testing/usage.ts";
import type { CoreContext } from "../create-core.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { sumUsage } from "../usage/sum-usage.ts";
import { exportConsumption } from "./export-consumption.ts";

type Body = Omit<InputOf<(typeof endpoints)["analytics.exportConsumption"]>, "wId">;

const range = { startDate: "2030-01-01", endDate: "2030-01-30" };

describe("the export of every call", () => {
  const test = workspaceTest({ agents: ["ann"], role: "admin" });
  let by: CoreContext;
  beforeEach(() => {
    test.clock.now = Date.UTC(2030, 0, 2, 12);
    by = test.context;
  });

  const open = async (body: Partial<Body> = {}) => {
    const raw = { wId: test.workspaceId, ...range, ...body };
    return exportConsumption(by, parseInput(endpoints["analytics.exportConsumption"], raw));
  };
  const text = async (body: Partial<Body> = {}) =>
    (await Array.fromAsync((await open(body)).pieces)).join("");
  const rows = async (filter?: Body["filter"]) =>
    (await text({ format: "ndjson", filter }))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it("has a row for each call, and outlives conversations", async () => {
    const { conversation, message } = await createTestConversation(by, []);
    const { apiKey, user } = by.caller;
    await writeTestUsage(by, {
      conversationId: conversation.id,
      logId: message.sId,
      userId: user.id,
      tools: ["search", "shop"],
      skills: ["skl_1"],
      tags: ["=SUM(A1)"],
      amount: 1_234_500_000n,
      cachedInputTokens: 7,
    });
    const row = {
      timestamp: "2030-01-02T12:00:00.000Z",
      origin: "answer",
      user_id: user.sid,
      user_email: user.email,
      api_key_id: apiKey.sid,
      api_key_name: apiKey.name,
      agent_id: "ann",
      provider_id: "openai",
      model_id: "gpt-5",
      conversation_id: conversation.sId,
      message_id: message.sId,
      step: 0,
      input_tokens: 100,
      cached_input_tokens: 7,
      reasoning_tokens: null,
      amount: "1.2345",
      currency: "USD",
      is_estimated: false,
      tools: ["search", "shop"],
      skills: ["skl_1"],
      sources: [],
    };
    expect(await rows()).toMatchObject([row]);
    const [names, cells, ...others] = (await text()).split("\r\n");
    expect(names).toMatch(/^timestamp,origin,.*,tools,skills,sources,tags$/);
    expect(cells).toMatch(/,1\.2345,USD,false,search; shop,skl_1,,'=SUM\(A1\)$/);
    expect(others).toEqual([""]);
    await deleteConversation(by, { cId: conversation.sId });
    expect(await rows()).toMatchObject([{ ...row, conversation_id: null }]);
  });

  it("has tokens without money of answers from before the ledger", async () => {
    const { db } = test.core.database;
    const ask = async () => {
      await createTestConversation(by, ["ann"]);
      const [turn] = await answerTestTurns(test.core);
      const { sid } = turn!.message;
      const steps = [1, 2].map((step) => ({
        step,
        inputTokens: 10,
        outputTokens: 1,
        durationMs: 1,
      }));
      await db.update(messages).set({ steps }).where(eq(messages.sid, sid));
      return sid;
    };
    const before = await ask();
    const old = { message_id: before, input_tokens: 20, output_tokens: 2, amount: null };
    expect(await rows()).toMatchObject([old]);
    const metered = await ask();
    await writeTestUsage(by, { logId: metered });
    await sumUsage(test.core);
    expect(await rows()).toMatchObject([{ message_id: metered, amount: "1" }, old]);
    expect(await rows({ agents: ["ann"], models: ["simulated-1"] })).toMatchObject([old]);
    expect(await rows({ tags: ["sales"] })).toEqual([]);
    // Long after, an answer without an entry is one whose entries have passed their retention.
    test.clock.now = Date.UTC(2030, 0, 20);
    await ask();
    expect(await rows()).toHaveLength(2);
  });

  it("has what the filter names", async () => {
    const { apiKey, user } = by.caller;
    await writeTestUsage(
      by,
      { agentId: "ann", tools: ["search"], sources: ["dsv_1"], userId: user.id },
      { agentId: "bob", modelId: "m2", tags: ["sales", "eu"], apiKeyId: null },
      { agentId: "eve", skills: ["skl_1"] },
    );
    const agents = async (filter: Body["filter"]) =>
      (await rows(filter)).map((row) => row["agent_id"]);
    expect(await agents({})).toEqual(["ann", "bob", "eve"]);
    expect(await agents({ agents: ["bob", "eve"] })).toEqual(["bob", "eve"]);
    expect(await agents({ users: [user.sid] })).toEqual(["ann"]);
    expect(await agents({ api_keys: [apiKey.name] })).toEqual(["ann", "eve"]);
    expect(await agents({ api_keys: [apiKey.sid], skills: ["skl_1"] })).toEqual(["eve"]);
    expect(await agents({ models: ["m2"] })).toEqual(["bob"]);
    expect(await agents({ models: ["openai/m2"] })).toEqual(["bob"]);
    expect(await agents({ tools: ["search", "x"] })).toEqual(["ann"]);
    expect(await agents({ sources: ["dsv_1"] })).toEqual(["ann"]);
    expect(await agents({ tags: ["eu"] })).toEqual(["bob"]);
    expect(await agents({ tags: [], agents: [] })).toEqual(["ann", "bob", "eve"]);
    expect(await agents({ groups: [] })).toEqual(["ann", "bob", "eve"]);
    expect(await agents({ groups: ["staff"] })).toEqual([]);
  });

  it("says of spaces that the key does not reach only what they cost", async () => {
    const { db } = test.core.database;
    const [space] = await db
      .insert(spaces)
      .values({
        sid: "vlt_closed",
        workspaceId: test.workspace.id,
        name: "closed",
        kind: "regular",
        isRestricted: true,
        createdAt: 0,
        updatedAt: 0,
      })
      .returning();
    await writeTestUsage(by, { spaceId: space!.id, tools: ["secret"], sources: ["dsv_2"] });
    expect(await rows()).toMatchObject([
      { amount: "1", conversation_id: null, message_id: null, tools: [], sources: [] },
    ]);
    expect(await rows({ sources: ["dsv_2"] })).toEqual([]);
  });

  it("reads a page when it is asked for it, and none after its reader has left", async () => {
    const many = Array.from({ length: 2500 }, (_, index) => ({ at: by.now() + (index % 7) }));
    await writeTestUsage(by, ...many);
    expect(await rows()).toHaveLength(2500);
    const { pieces } = await open({ format: "ndjson" });
    const first = await pieces.next();
    expect(String(first.value).split("\n")).toHaveLength(1001);
    await pieces.return();
    expect(await pieces.next()).toMatchObject({ done: true });
  });

  it("has nothing of another workspace, and refuses too many days", async () => {
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core));
    await writeTestUsage(other, {});
    expect(await rows()).toEqual([]);
    for (const endDate of ["2029-12-31", "2030-01-31"]) {
      expect(await refusalOf(open({ endDate }))).toBe("400 invalid_request_error");
    }
  });
});
