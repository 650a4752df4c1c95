import { endpoints } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, type Request } from "../request.ts";
import type { Server } from "../server.ts";
import { answerIn, answersOf, createCalls, mentionOf } from "./calls.ts";
import { addedFragment } from "./sibling-shapes.ts";

// The interface: POST of messages and of content fragments to a conversation.

const context = {
  username: "ada",
  timezone: "Europe/London",
  fullName: "Ada Lovelace",
  email: "nobody@example.com",
  profilePictureUrl: "https://example.com/ada.png",
  selectedSpaceIds: ["vlt_a"],
  agenticMessageData: { type: "agent_handover", originMessageId: "abc" },
};

/** The tests of adding to a conversation. */
export function postsSuite(server: () => Server): void {
  const calls = createCalls(server);
  const { call, create, get, post } = calls;
  const start = async () => (await create("Hello")).conversation.sId;
  const added = {
    shape: addedFragment,
    schema: endpoints["contentFragments.create"].output,
  };
  const add = async (cId: string, json: object) =>
    answerIn(await call("POST", `/${cId}/content_fragments`, { json }), added).contentFragment;

  test("a message that mentions nobody comes after the others", async () => {
    const cId = await start();
    const { message, agentMessages, warnings } = await post(cId, {
      content: "é😀",
      mentions: [],
      context,
      title: "ignored",
      unknown: { deep: [1] },
    });
    expect(agentMessages).toEqual([]);
    expect(warnings?.map(({ path }) => path)).toEqual(["title", "unknown"]);
    expect(message).toMatchObject({ content: "é😀", version: 0, mentions: [] });
    expect(message.context).toEqual({ ...context, origin: "api" });
    const conversation = await get(cId);
    expect(conversation.content).toHaveLength(2);
    expect(conversation.content[1]).toEqual([message]);
    expect(conversation.title).toBe("Hello");
  });

  test("who does not wait gets the answers still empty, in the order of the mentions", async () => {
    const cId = await start();
    const mentions = mentionOf("faulty", "slowpoke", "helper", "faulty");
    const { message, agentMessages } = await post(cId, { content: "x", mentions, blocking: null });
    expect(agentMessages.map(({ configuration }) => configuration.sId)).toEqual([
      "faulty",
      "slowpoke",
      "helper",
    ]);
    for (const answer of agentMessages) {
      expect(answer).toMatchObject({ status: "created", content: "", error: null, actions: [] });
      expect(answer).toMatchObject({ rawContents: [], chainOfThought: null, version: 0 });
      expect(answer.parentMessageId).toBe(message.sId);
      expect(answer.agentMessageId).toBe(answer.id);
    }
    const { content } = await get(cId);
    expect(content.map(([first]) => first?.sId).slice(1)).toEqual(
      [message, ...agentMessages].map(({ sId }) => sId),
    );
  });

  test("who waits gets the answers as they ended", async () => {
    const cId = await start();
    const mentions = mentionOf("helper", "faulty");
    const { agentMessages } = await post(cId, { content: "Hi", mentions, blocking: true });
    expect(agentMessages).toMatchObject(
      [
        { status: "succeeded", content: /^You said: Hi\n/, error: null },
        {
          status: "failed",
          content: "I will try, but ",
          error: { code: "simulated_failure", message: "This agent always fails", metadata: null },
        },
      ].map(({ content, ...rest }) => ({ ...rest, content: expect.stringMatching(content) })),
    );
    expect(answersOf(await get(cId))).toEqual(agentMessages);
  });

  test("mentions of nobody are warned of by their position", async () => {
    const cId = await start();
    const mentions = mentionOf("nobody", "helper", "__proto__");
    const { warnings, agentMessages, message } = await post(cId, { content: "x", mentions });
    expect(warnings?.map(({ path }) => path)).toEqual([
      "mentions[0].configurationId",
      "mentions[2].configurationId",
    ]);
    expect(agentMessages).toHaveLength(1);
    expect(message.mentions).toEqual(mentions);
  });

  test("messages that are posted at once each get a position of their own", async () => {
    const cId = await start();
    const posted = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        post(cId, { content: `${index}`, mentions: mentionOf("helper"), blocking: true }),
      ),
    );
    const { content } = await get(cId);
    expect(content).toHaveLength(17);
    expect(content.every((versions) => versions.length === 1)).toBe(true);
    const ids = content.map(([first]) => first?.sId);
    for (const { message, agentMessages } of posted) {
      expect(ids.indexOf(agentMessages[0]?.sId)).toBe(ids.indexOf(message.sId) + 1);
      expect(agentMessages[0]).toMatchObject({ status: "succeeded" });
      expect(agentMessages[0]?.content).toContain(`You said: ${message.content}\n`);
    }
  });

  const badMessages: { body: object; field: string }[] = [
    { body: { mentions: [] }, field: "content" },
    { body: { content: "", mentions: [] }, field: "content" },
    { body: { content: "x" }, field: "mentions" },
    { body: { content: "x", mentions: [{}] }, field: "mentions[0].configurationId" },
    { body: { content: "x", mentions: [], blocking: "yes" }, field: "blocking" },
    {
      body: { content: "x", mentions: [], skipToolsValidation: 1 },
      field: "skipToolsValidation",
    },
    {
      body: { content: "x", mentions: [], context: { timezone: "UTC" } },
      field: "context.username",
    },
    { body: { message: { content: "x", mentions: [] } }, field: "content" },
    { body: { content: "a\u0000", mentions: [] }, field: "content" },
  ];

  test.for(badMessages)("the message $body is refused", async ({ body, field }) => {
    const cId = await start();
    const answer = await call("POST", `/${cId}/messages`, { json: body });
    expectError(answer, "invalid_request_error", { message: "Invalid request body: ", field });
    expect((await get(cId)).content).toHaveLength(1);
  });

  test("a fragment of inline text is added after the messages", async () => {
    const cId = await start();
    const text = "é".repeat(300);
    const fragment = await add(cId, {
      title: "notes.md",
      content: text,
      contentType: "text/markdown",
      url: "https://example.com/notes",
      path: null,
      skipFileProcessing: true,
      context: { fullName: "Bob" },
      unknown: 1,
    });
    expect(fragment).toMatchObject({
      title: "notes.md",
      contentType: "text/markdown",
      sourceUrl: "https://example.com/notes",
      contentFragmentType: "file",
      contentFragmentVersion: "latest",
      textBytes: 600,
      context: { username: "API User", timezone: "UTC", fullName: "Bob" },
      version: 0,
    });
    expect(
      fragment.contentFragmentType === "file" && text.startsWith(fragment.snippet ?? "x"),
    ).toBe(true);
    expect((await get(cId)).content[1]).toEqual([fragment]);
    // The next message stands behind it.
    const { message } = await post(cId, { content: "x", mentions: [] });
    expect((await get(cId)).content[2]).toEqual([message]);
  });

  test("a fragment of a node is as the node was when it was added", async () => {
    const { workspaceId, spaceId } = server().demo;
    const rpc = calls.rpc();
    const { dataSourceView } = await rpc.dataSourceViews.create.mutate({
      wId: workspaceId,
      spaceId,
      name: "Wiki",
      provider: "notion",
    });
    const node = { nodeId: "page/1", nodeDataSourceViewId: dataSourceView.sId };
    const identity = { wId: workspaceId, dataSourceViewId: dataSourceView.sId, nodeId: "page/1" };
    await rpc.dataSourceNodes.put.mutate({
      ...identity,
      nodeType: "document",
      title: "Page",
      contentType: "text/html",
      content: "<p>one</p>",
      sourceUrl: "https://example.com/page",
    });
    const cId = await start();
    // A node decides over inline text, which is not an error beside it.
    const inline = { content: "inline", contentType: "text/plain" };
    const fragment = await add(cId, { title: "t", ...inline, ...node });
    expect(fragment).toMatchObject({
      contentFragmentType: "content_node",
      title: "t",
      contentType: "text/html",
      sourceUrl: "https://example.com/page",
      nodeType: "document",
      ...node,
    });
    expect(fragment).toHaveProperty("contentNodeData", {
      ...node,
      nodeType: "document",
      provider: "notion",
      spaceName: (await rpc.spaces.list.query({ wId: workspaceId })).spaces.find(
        ({ sId }) => sId === spaceId,
      )?.name,
    });
    await rpc.dataSourceNodes.remove.mutate(identity);
    expect((await get(cId)).content[1]).toEqual([fragment]);
    const gone = await call("POST", `/${cId}/content_fragments`, { json: { title: "t", ...node } });
    expectError(gone, "data_source_view_not_found", { status: 400 });
    // Half a node decides nothing.
    expect(await add(cId, { title: "t", ...inline, nodeId: "page/1" })).toMatchObject({
      contentFragmentType: "file",
      snippet: "inline",
    });
  });

  const badFragments: { body: object; field?: string; type?: "file_not_found" }[] = [
    { body: { title: "t" } },
    { body: { title: "t", content: "x" } },
    { body: { title: "t", nodeId: "n" } },
    { body: { content: "x", contentType: "text/plain" }, field: "title" },
    { body: { title: "t", content: "x", contentType: "text" }, field: "contentType" },
    { body: { title: "t", content: 1, contentType: "text/plain" }, field: "content" },
    { body: { title: "t", fileId: "fil_AAAAAAAAAA" }, type: "file_not_found" },
    {
      body: { title: "t", fileId: "fil_x", content: "x", contentType: "text/plain" },
      type: "file_not_found",
    },
  ];

  test.for(badFragments)("the fragment $body is refused", async ({ body, field, type }) => {
    const cId = await start();
    const answer = await call("POST", `/${cId}/content_fragments`, { json: body });
    expectError(answer, type ?? "invalid_request_error", {
      status: 400,
      ...(type === undefined && { message: "Invalid request body: " }),
      ...(field !== undefined && { field }),
    });
    expect((await get(cId)).content).toHaveLength(1);
  });

  test("a message after the newest one is posted, and refused once there is a newer one", async () => {
    const { conversation, message } = await calls.create("First");
    const cId = conversation.sId;
    const after = (afterMessageId: string, content = "x") =>
      call("POST", `/${cId}/messages`, { json: { content, mentions: [], afterMessageId } });
    const posted = await Promise.all(["a", "b", "c"].map((one) => after(message.sId, one)));
    expect(posted.map(({ status }) => String(status)).toSorted()).toEqual(["200", "409", "409"]);
    expectError(await after(message.sId), "version_conflict", { message: /newer message/ });
    expectError(await after("unknown"), "message_not_found");
    const newest = (await get(cId)).content.at(-1)?.at(-1)?.sId ?? "";
    expect((await after(newest)).status).toBe(200);
    expect((await get(cId)).content).toHaveLength(3);
  });

  test("nothing is posted without a key or with one that may do nothing", async () => {
    const cId = await start();
    const { workspaceId } = server().demo;
    const rpc = calls.rpc();
    const { secret } = await rpc.apiKeys.create.mutate({
      wId: workspaceId,
      name: "n",
      role: "none",
    });
    const json = { content: "x", mentions: [], title: "t", contentType: "text/plain" };
    for (const tail of [`/${cId}/messages`, `/${cId}/content_fragments`]) {
      const request: Pick<Request, "json"> = { json };
      expectError(await call("POST", tail, { ...request, key: null }), "not_authenticated");
      expectError(await call("POST", tail, { ...request, key: secret }), "app_auth_error");
    }
    expect((await get(cId)).content).toHaveLength(1);
  });
}
