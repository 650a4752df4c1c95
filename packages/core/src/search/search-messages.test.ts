import { messages, spaces } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import { editMessage } from "../conversations/edit-message.ts";
import type { CoreRequest } from "../create-core.ts";
import { indexMessages } from "./index-messages.ts";
import { searchMessages } from "./search-messages.ts";

type Query = Omit<InputOf<(typeof endpoints)["search.messages"]>, "wId">;

describe("the search of messages", () => {
  const test = workspaceTest({ agents: ["ann", "bob"] });
  const search = async (query: string | Query, by: CoreRequest = test.context) => {
    const { sid: wId } = by.caller.kind === "workspace" ? by.caller.workspace : test.workspace;
    const raw = { wId, ...(typeof query === "string" ? { query } : query) };
    const page = await searchMessages(by, parseInput(endpoints["search.messages"], raw));
    expect(endpoints["search.messages"].output.strict().parse(page)).toEqual(page);
    return page;
  };
  const excerptsOf = async (query: string | Query, by?: CoreRequest) =>
    (await search(query, by)).messages.map(({ excerpt }) => excerpt);
  const say = async (content: string, by = test.context, body = {}) => {
    test.clock.now += 10;
    const message = { content, mentions: [] };
    return (await createTestConversation(by, [], { message, ...body })).conversation.sId;
  };
  const index = () => indexMessages(test.core);

  it.each([
    ["refund", ["A refund for Ada", "No refund today"]],
    ["REFUND ada", ["A refund for Ada"]],
    ["ref", ["A refund for Ada", "No refund today"]],
    ["re fund", []],
    ['"refund for"', ["A refund for Ada"]],
    ['"for refund"', []],
    ["refund -ada", ["No refund today"]],
    ["-foo-bar today", ["No refund today"]],
    ["ada OR zebra", ["Zebra ' crossing", "A refund for Ada"]],
    ["zebra '", ["Zebra ' crossing"]],
    ["!!! ()", []],
    ["workspace 1", []],
  ])("finds with the query %s", async (query, found) => {
    await say("No refund today");
    await say("A refund for Ada");
    await say("Zebra ' crossing");
    await index();
    expect(await excerptsOf(query)).toEqual([...found].toSorted(byAge));
  });

  const order = ["Zebra ' crossing", "A refund for Ada", "No refund today"];
  const byAge = (a: string, b: string) => order.indexOf(a) - order.indexOf(b);

  it("shows where the words are, in a long text too", async () => {
    await say(`${"lorem ipsum ".repeat(500)}\u{1}the Refund was sent ${"dolor sit ".repeat(500)}`);
    await index();
    const { messages: found } = await search("refu");
    const [{ excerpt, highlights } = { excerpt: "", highlights: [] }] = found;
    expect(highlights.map(({ start, end }) => excerpt.slice(start, end))).toEqual(["Refund"]);
    expect(excerpt).toContain("the Refund was sent");
    expect(excerpt).not.toContain("\u{1}");
  });

  it("finds answers once they have ended, by agent and by how they ended", async () => {
    const message = { content: "Hello", mentions: [{ configurationId: "ann" }] };
    const { conversation } = await createTestConversation(test.context, [], { message });
    await index();
    expect(await excerptsOf("weather")).toEqual([]);
    await answerTestTurns(test.core, "The weather is fine");
    await index();
    const found = (await search("weather")).messages;
    expect(found).toEqual([
      {
        sId: conversation.content[1]![0]!.sId,
        type: "agent_message",
        status: "succeeded",
        createdAt: test.clock.now,
        agent: { sId: "ann", name: "ann" },
        conversation: { sId: conversation.sId, title: conversation.title },
        excerpt: "The weather is fine",
        highlights: [{ start: 4, end: 11 }],
      },
    ]);
    const filters: [Query, number][] = [
      [{ query: "weather", agentId: "ann" }, 1],
      [{ query: "weather", agentId: "bob" }, 0],
      [{ query: "weather", status: "succeeded", type: "agent_message" }, 1],
      [{ query: "weather", status: "failed" }, 0],
      [{ query: "weather", type: "user_message" }, 0],
      [{ query: "weather", conversationId: conversation.sId }, 1],
      [{ query: "weather", conversationId: "x" }, 0],
      [{ query: "weather", from: test.clock.now }, 1],
      [{ query: "weather", to: test.clock.now }, 0],
    ];
    for (const [query, count] of filters) {
      expect([query, (await search(query)).messages.length]).toEqual([query, count]);
    }
  });

  it("finds the newest version of an edited message alone", async () => {
    const cId = await say("An apple");
    await index();
    const { messages: found } = await search("apple");
    const raw = { wId: test.workspaceId, cId, mId: found[0]!.sId, content: "A pear", mentions: [] };
    await editMessage(test.context, parseInput(endpoints["messages.edit"], raw));
    await index();
    expect([await excerptsOf("apple"), await excerptsOf("pear")]).toEqual([[], ["A pear"]]);
  });

  it("shows a caller what it reaches, and nothing of others", async () => {
    const { core, operator, workspace, workspaceId } = test;
    const [user, builder, admin] = [
      test.context,
      await openTestContext(core, workspace, "builder"),
      await openTestContext(core, workspace, "admin"),
    ];
    const other = await insertTestWorkspace(core);
    const stranger = await openTestContext(core, other, "admin");
    const keyIds = [builder.caller.apiKey.sid];
    const restricted = { wId: workspaceId, name: "R", isRestricted: true, keyIds };
    const { space } = await operator.createSpace(restricted);
    const { space: open } = await operator.createSpace({ wId: workspaceId, name: "O" });
    await say("secret of user", user);
    await say("secret of builder", builder);
    await say("secret in restricted", builder, { spaceId: space.sId });
    await say("secret in open", builder, { spaceId: open.sId });
    await say("secret of stranger", stranger);
    await say("secret and temporary", user, { temporary: true });
    await index();
    const all = ["secret in open", "secret in restricted", "secret of builder", "secret of user"];
    const sees = async (by: CoreRequest) => (await excerptsOf("secret", by)).toSorted();
    expect(await sees(user)).toEqual(["secret in open", "secret of user"]);
    expect(await sees(builder)).toEqual(all);
    expect(await sees(admin)).toEqual(all.filter((text) => text !== "secret in restricted"));
    expect(await sees(operator.context)).toEqual(all);
    expect(await sees(stranger)).toEqual(["secret of stranger"]);
    // A token acts under a key and reaches what is its user's.
    const tokenOf = (spaceIds: readonly number[] | undefined): CoreRequest => {
      const userToken = {
        sid: "tok_x",
        scopes: new Set(["conversations:read"] as const),
        spaceIds,
        keyRole: "builder",
        expiresAt: Infinity,
      };
      const caller = {
        ...builder.caller,
        userToken,
        apiKey: { ...builder.caller.apiKey, role: "user" },
      };
      return Object.assign(Object.create(builder) as typeof builder, { caller });
    };
    expect(await sees(tokenOf(undefined))).toEqual([]);
    await core.database.db
      .update(spaces)
      .set({ isRestricted: true })
      .where(eq(spaces.sid, open.sId));
    expect(await sees(user)).toEqual(["secret of user"]);
  });

  it("gives every message once over pages, also those of common words", async () => {
    const said: string[] = [];
    for (let number = 0; number < 7; number++) {
      await say(`number ${number}`);
      said.unshift(`number ${number}`);
    }
    await index();
    const read = async (limit: number) => {
      const texts: string[] = [];
      let lastValue: string | undefined;
      do {
        const page = await search({ query: "number", limit, lastValue });
        texts.push(...page.messages.map(({ excerpt }) => excerpt));
        lastValue = page.hasMore ? (page.lastValue ?? undefined) : undefined;
      } while (lastValue !== undefined);
      return texts;
    };
    expect(await read(3)).toEqual(said);
    // More matches than are put in order: messages of another workspace do not count.
    const [row] = await test.core.database.db.select().from(messages).limit(1);
    const copies = Array.from({ length: 2000 }, (_, copy) => ({
      ...row!,
      sid: `copy${copy}`,
      rank: 100 + copy,
      content: "number",
      createdAt: row!.createdAt - 1,
    }));
    await test.core.database.db.insert(messages).values(copies);
    while (!(await index()).isAll);
    const rest = await read(100);
    expect(rest.slice(0, 7)).toEqual(said);
    expect(rest).toHaveLength(2007);
  });

  it("says how far messages are indexed", async () => {
    await test.core.database.db.execute("delete from message_index");
    await say("early");
    expect(await search("early")).toMatchObject({ indexedUntil: null, isComplete: false });
    await index();
    const state = { indexedUntil: test.clock.now, isComplete: true };
    expect(await search("early")).toMatchObject({ ...state, messages: [{ excerpt: "early" }] });
  });
});
