import { messages } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  insertTestAgent,
  openTestContext,
  postTestMessage,
} from "../../testing/testing.ts";
import { editMessage } from "./edit-message.ts";
import { freezeValues } from "./freeze-values.ts";
import { retryMessage } from "./post-messages.ts";

const instructions =
  "{{now}} {{user.name}} {{user.email}} {{workspace.name}} {{conversation.id}} {{{{now}}";
const at = Date.parse("2026-11-27T23:59:00Z");

describe("values of instructions", () => {
  const test = workspaceTest({ per: "suite" });
  beforeAll(async () => {
    const insert = async (sid: string, agent = {}) =>
      insertTestAgent(test.core, test.workspace, { sid, rendersInstructions: true, ...agent });
    await insert("all", { instructions });
    await insert("email", { instructions: "Write to {{user.email}}" });
    await insert("escaped", { instructions: "{{{{now}}" });
    await insert("long", { instructions: `{{now}}${" ".repeat(20_000)}` });
    await insert("old", { instructions, rendersInstructions: false });
  });

  const valuesOf = async (sid: string): Promise<Record<string, string> | null> => {
    const rows = await test.core.database.db
      .select({ values: messages.promptValues })
      .from(messages)
      .where(eq(messages.sid, sid));
    return JSON.parse(rows[0]?.values ?? "null") as Record<string, string> | null;
  };
  const ada = {
    username: "ada",
    timezone: "Europe/Kyiv",
    fullName: "Ada  L.\n",
    email: "a@b.test",
  };
  const ask = async (agentIds: string[], context: object = ada) => {
    const mentions = agentIds.map((configurationId) => ({ configurationId }));
    const message = { content: "Hello", mentions, context } as never;
    const { conversation } = await createTestConversation(test.context, agentIds, { message });
    const [asked, ...answers] = conversation.content.map(([one]) => one!.sId);
    return { cId: conversation.sId, asked: asked!, answers };
  };
  const frozen = (cId: string) => ({
    now: "Saturday, 2026-11-28, after 01:00 (Europe/Kyiv)",
    "user.name": "Ada L.",
    "user.email": "a@b.test",
    "workspace.name": test.workspace.name,
    "conversation.id": cId,
  });

  it("are frozen for each answer as its agent's instructions name them, to the hour", async () => {
    test.clock.now = at;
    const { cId, answers } = await ask(["all", "email", "escaped", "old", "long"]);
    const [all, email, escaped, old, long] = await Promise.all(answers.map(valuesOf));
    expect(all).toEqual(frozen(cId));
    expect(email).toEqual({ "user.email": "a@b.test" });
    expect([escaped, old]).toEqual([null, null]);
    // Its text is not at hand.
    expect(long).toEqual(frozen(cId));
  });

  it("stay with an answer, and are frozen again for a later message, an edit and a retry", async () => {
    test.clock.now = at;
    const { cId, asked, answers } = await ask(["all"]);
    await answerTestTurns(test.core);
    test.clock.now = at + 3_600_000;
    const later = { ...frozen(cId), now: "Saturday, 2026-11-28, after 02:00 (Europe/Kyiv)" };
    const { agentMessages } = await postTestMessage(test.context, cId, {
      agentIds: ["all"],
      context: ada,
    });
    expect(await valuesOf(agentMessages[0]!.sId)).toEqual(later);
    await answerTestTurns(test.core);
    // Another key that repeats the question does not ask it.
    const other = await openTestContext(test.core, test.workspace, "admin");
    const { message: retried } = await retryMessage(other, { cId, mId: answers[0]! });
    expect(await valuesOf(retried.sId)).toEqual(later);
    await answerTestTurns(test.core);
    const edit = { wId: test.workspaceId, cId, mId: asked, content: "Edited" };
    const mentions = [{ configurationId: "all" }];
    const input = parseInput(endpoints["messages.edit"], { ...edit, mentions });
    const { agentMessages: edited } = await editMessage(test.context, input);
    expect(await valuesOf(edited[0]!.sId)).toEqual(later);
    expect(await valuesOf(answers[0]!)).toEqual(frozen(cId));
  });

  it("are in the history of later turns of the same agent, with the message that they stood beside", async () => {
    const { cId, asked, answers } = await ask(["all", "email"]);
    await answerTestTurns(test.core);
    await postTestMessage(test.context, cId, { agentIds: ["all"] });
    const [claimed] = await claimTestTurns(test.core);
    const kept = claimed!.turn.history.filter(({ promptValues }) => promptValues !== null);
    expect(kept.map(({ sid, parentMessageId }) => [sid, parentMessageId])).toEqual([
      [answers[0], asked],
    ]);
  });

  it.each([
    ["Factory", "Friday, 2026-11-27, after 23:00 (Factory)"],
    ["Asia/Kathmandu", "Saturday, 2026-11-28, after 05:00 (Asia/Kathmandu)"],
    ["America/Ciudad_Juarez", "Friday, 2026-11-27, after 16:00 (America/Ciudad_Juarez)"],
  ])("name the hour in the zone %s", async (timezone, now) => {
    test.clock.now = at;
    const { answers } = await ask(["all"], { ...ada, timezone });
    expect(await valuesOf(answers[0]!)).toMatchObject({ now });
  });

  it("are the user's own where it is known, bounded and storable", () => {
    const agent = { instructions, rendersInstructions: true };
    const context = { username: "claimed", email: "claimed@b.test", timezone: "UTC" };
    const user = { username: "ben", fullName: "", email: "", externalId: "u-1" };
    const freeze = (about: object) =>
      JSON.parse(
        freezeValues(test.context, agent, {
          conversation: { sid: "c" },
          user: { ...user, ...about },
          context,
        })!,
      ) as object;
    expect(freeze({})).toMatchObject({ "user.name": "ben", "user.email": "" });
    expect(freeze({ externalId: null })).toMatchObject({
      "user.name": "claimed",
      "user.email": "claimed@b.test",
    });
    const fullName = `${"a".repeat(254)}😀${"b".repeat(2_000_000)}`;
    expect(freeze({ fullName })).toMatchObject({ "user.name": `${"a".repeat(254)}\ufffd` });
  });
});
