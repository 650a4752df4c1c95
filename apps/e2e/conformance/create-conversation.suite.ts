import { CreatedConversation } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, expectError, jsonOf, minimal, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { expectShape } from "../shape.ts";
import { publicUrl } from "./public-url.ts";
import { createdConversation } from "./wire-shapes.ts";

// The interface: create operation.

/** The created conversation of an answer whose every member is what the interface says. */
function createdIn(answer: Answer): CreatedConversation {
  const { raw, parsed } = jsonOf(answer, CreatedConversation);
  expectShape(raw, createdConversation);
  return parsed;
}

const context = {
  username: "ada",
  timezone: "Europe/London",
  fullName: "Ada Lovelace",
  email: "ada@example.com",
  profilePictureUrl: "https://example.com/ada.png",
  selectedSpaceIds: ["vlt_a", "vlt_b"],
  agenticMessageData: { type: "run_agent", originMessageId: "abc" },
};

/** The tests of the create operation. */
export function createConversationSuite(server: () => Server): void {
  const create = (body: unknown, key?: string) =>
    send(server(), {
      path: pathsOf(server()).conversations,
      json: body,
      ...(key !== undefined && { key }),
    });
  const mention = (...agents: string[]) => agents.map((configurationId) => ({ configurationId }));

  test("the least body gives a whole conversation", async () => {
    const { workspaceId } = server().demo;
    const { conversation, message, warnings } = createdIn(await create(minimal));
    expect(conversation).toMatchObject({ title: "Hello", visibility: "unlisted", unread: false });
    expect(conversation.owner).toMatchObject({ sId: workspaceId, name: "Demo", role: "admin" });
    expect(conversation.owner).toMatchObject({ flags: [], whiteListedProviders: [] });
    expect(conversation.sId).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(conversation.url).toMatch(`${publicUrl}/`);
    expect(conversation.url).toContain(conversation.sId);
    expect(conversation.content).toEqual([[message]]);
    expect(message).toMatchObject({
      version: 0,
      visibility: "visible",
      mentions: [],
      content: "Hello",
      context: { username: "API User", timezone: "UTC", origin: "api" },
    });
    expect(message.sId).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(warnings).toBeUndefined();
  });

  test("limits that are off have no headers", async () => {
    const { headers } = await create(minimal);
    expect(headers.get("ratelimit")).toBeNull();
    expect(headers.get("ratelimit-policy")).toBeNull();
  });

  test("null stands for absent, and what is unknown is ignored", async () => {
    const nothing = { contentFragments: null, title: null, blocking: null, spaceId: null };
    const { conversation } = createdIn(
      await create({
        ...nothing,
        skipToolsValidation: null,
        unknown: { a: [1] },
        message: { ...minimal.message, context: null, modelSelection: null, unknown: 1 },
      }),
    );
    expect(conversation.title).toBe("Hello");
  });

  test("owner.role is the key's", async () => {
    const answer = await create(minimal, server().demo.userKey);
    expect(createdIn(answer).conversation.owner.role).toBe("user");
  });

  test("the context comes back as it was sent, with its origin", async () => {
    const { message } = createdIn(await create({ message: { ...minimal.message, context } }));
    expect(message.context).toEqual({ ...context, origin: "api" });
    expect(message.user.fullName).not.toBe("");
  });

  test("fragments come first, then the user's message, then the agents' in order", async () => {
    const inline = { title: "notes.md", content: "# Notes é", contentType: "text/markdown" };
    const answer = await create({
      title: "Order",
      message: { content: "x", mentions: mention("faulty", "slowpoke", "helper", "faulty") },
      contentFragments: [
        { ...inline, url: "https://example.com/notes", path: null, processedPath: "/p", context },
        { title: "empty", content: "", contentType: "text/plain", context: { username: "bob" } },
      ],
      skipToolsValidation: true,
      spaceId: server().demo.spaceId,
    });
    const { conversation, message } = createdIn(answer);
    expect(conversation.title).toBe("Order");
    const [notes, empty, user, ...agents] = conversation.content.map(([only]) => only);
    expect(notes).toMatchObject({
      title: "notes.md",
      contentType: "text/markdown",
      sourceUrl: "https://example.com/notes",
      snippet: "# Notes é",
      textBytes: 10,
      contentFragmentVersion: "latest",
      context,
    });
    expect(notes?.type === "content_fragment" && "textUrl" in notes && notes.textUrl).toMatch(
      `${publicUrl}/`,
    );
    expect(empty).toMatchObject({ context: { username: "bob", timezone: "UTC" }, textBytes: 0 });
    expect(user).toEqual(message);
    expect(agents).toHaveLength(3);
    for (const [index, slug] of ["faulty", "slowpoke", "helper"].entries()) {
      const agent = agents[index];
      expect(agent).toMatchObject({
        type: "agent_message",
        status: "created",
        content: "",
        chainOfThought: null,
        error: null,
        parentMessageId: message.sId,
        parentAgentMessageId: null,
        agentMessageId: agent?.id,
        configuration: { sId: slug, status: "active", scope: "global" },
      });
    }
  });

  test("blocking waits for every agent, and a failing one is still a 200", async () => {
    const answer = await create({
      message: { content: "x", mentions: mention("helper", "slowpoke", "faulty") },
      blocking: true,
    });
    const [, ...agents] = createdIn(answer).conversation.content.map(([only]) => only);
    expect(agents.map((agent) => agent?.type === "agent_message" && agent.status)).toEqual([
      "succeeded",
      "succeeded",
      "failed",
    ]);
    const [helper, slowpoke, faulty] = agents;
    expect(helper).toMatchObject({ error: null, chainOfThought: null });
    expect(slowpoke).toMatchObject({ chainOfThought: "Let me think about that slowly." });
    expect(faulty).toMatchObject({ error: "This agent always fails", content: "I will try, but " });
  });

  test("mentions of nobody are warned of by their position", async () => {
    const answer = await create({
      message: {
        content: "x",
        mentions: mention("nobody", "helper", "a".repeat(255), "__proto__"),
      },
    });
    const { warnings, conversation, message } = createdIn(answer);
    expect(warnings?.map(({ path }) => path)).toEqual(
      [0, 2, 3].map((index) => `message.mentions[${index}].configurationId`),
    );
    expect(conversation.content).toHaveLength(2);
    expect(message.mentions).toHaveLength(4);
  });

  test("a model that the workspace may not use is refused, whichever agent is mentioned", async () => {
    const unknown = { providerId: "openai", modelId: "gpt-5", reasoningEffort: "high" };
    for (const mentions of [[], mention("helper")]) {
      const answer = await create({ message: { content: "x", mentions, modelSelection: unknown } });
      expectError(answer, "model_disabled");
    }
    const modelSelection = { ...unknown, reasoningEffort: "extreme" };
    const answer = await create({ message: { ...minimal.message, modelSelection } });
    expectError(answer, "invalid_request_error", {
      message: "Invalid request body: ",
      field: "message.modelSelection.reasoningEffort",
    });
  });

  test("the configured model stays in the configuration under an override", async () => {
    const modelSelection = { providerId: "noop", modelId: "noop", reasoningEffort: "none" };
    const body = { message: { content: "x", mentions: mention("helper"), modelSelection } };
    const agent = createdIn(await create(body)).conversation.content[1]?.[0];
    expect(agent).toMatchObject({
      configuration: { model: { providerId: "simulated", modelId: "simulated-1" } },
    });
  });

  test("a space, a file or a node that is unknown is refused", async () => {
    const fragment = (source: object) => ({
      ...minimal,
      contentFragments: [{ title: "t", ...source }],
    });
    const space = await create({ ...minimal, spaceId: "vlt_AAAAAAAAAA" });
    expectError(space, "space_not_found", { status: 400, message: /spaceId/ });
    const inline = { content: "x", contentType: "text/plain" };
    const node = { nodeId: "n", nodeDataSourceViewId: "dsv_AAAAAAAAAA" };
    const file = { fileId: "fil_AAAAAAAAAA" };
    expectError(await create(fragment(file)), "file_not_found", { status: 400 });
    expectError(await create(fragment(node)), "data_source_view_not_found", { status: 400 });
    // A file decides over a node, a node over inline text.
    const everything = fragment({ ...inline, ...node, ...file });
    expectError(await create(everything), "file_not_found", { status: 400 });
    const both = fragment({ ...inline, ...node });
    expectError(await create(both), "data_source_view_not_found", { status: 400 });
    // Half a node decides nothing.
    expect((await create(fragment({ ...inline, nodeId: "n" }))).status).toBe(200);
  });

  test("the title is the first words of the message, and always a string", async () => {
    const titleOf = async (content: string) =>
      createdIn(await create({ message: { content, mentions: [] } })).conversation.title;
    expect(await titleOf("One\n two\tthree")).toBe("One two three");
    expect(await titleOf("  \n ")).not.toBe("");
    const long = await titleOf(`word ${"and another ".repeat(100)}`);
    expect(long.startsWith("word and another")).toBe(true);
    expect(long.length).toBeLessThan(100);
  });

  test("numbers are unique, and ascend within a conversation", async () => {
    const body = { message: { content: "x", mentions: mention("helper", "faulty") } };
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(body)));
    const ids = answers.map((answer) =>
      createdIn(answer).conversation.content.map(([only]) => only?.id ?? 0),
    );
    for (const ofOne of ids) expect(ofOne).toEqual(ofOne.toSorted((a, b) => a - b));
    expect(new Set(ids.flat()).size).toBe(24);
  });
}
