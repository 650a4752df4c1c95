import { type FakeService, startFakeService } from "@parley/agent/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectError, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// Knowledge as automation platforms upload it, over plain HTTP.

const MODEL = { providerId: "openai_compatible", modelId: "my/own-model" };

let service: FakeService;
const settings: Record<string, string> = {};
beforeAll(async () => {
  service = await startFakeService({ script: { steps: [{ text: "Read." }], tokenDelayMs: 0 } });
  settings["PARLEY_OPENAI_COMPATIBLE_URL"] = `${service.url}/v1`;
});
afterAll(() => service.close());

const server = shareServer(settings);
const calls = createCalls(server);
let source: { sId: string; dataSourceId: string };
let agentId: string;
beforeAll(async () => {
  const { workspaceId: wId, spaceId } = server().demo;
  const view = { wId, spaceId, name: "Handbook" };
  source = (await calls.rpc().dataSourceViews.create.mutate(view)).dataSourceView;
  await calls.rpc().workspaces.update.mutate({ wId, models: [MODEL] });
  const agent = { wId, name: "Reader", description: "", model: MODEL };
  agentId = (await calls.rpc().agents.create.mutate(agent)).agentConfiguration.sId;
});

const root = () => pathsOf(server()).workspace;
const ofSource = () => `${root()}/data_sources/${source.dataSourceId}`;
const inSpace = (tail: string) => `${root()}/spaces/${server().demo.spaceId}/${tail}`;
const jsonOf = async (request: Request): Promise<unknown> => {
  const { status, text } = await send(server(), request);
  expect(`${status} ${text}`).toMatch(/^200 /);
  return JSON.parse(text);
};

test("a document is uploaded, replaced, given to an agent as a node, and deleted", async () => {
  const path = `${ofSource()}/documents/${encodeURIComponent("https://example.com/a b?c#d")}`;
  const first = { title: "Hours", text: "We open at eight.", tags: ["shop"], source_url: "x:y" };
  await jsonOf({ path, json: first });
  const section = { prefix: "Hours\n", sections: [{ content: "We open at twenty past nine." }] };
  // The second path names the same document.
  const json = { title: "Hours", section, mime_type: "text/markdown", light_document_output: true };
  const light = await jsonOf({ path: path.replace(root(), inSpace("").slice(0, -1)), json });
  expect(light).toMatchObject({
    document: { text_size: 34, token_count: 9 },
    data_source: { sId: source.dataSourceId, connectorId: null },
  });
  expect(await jsonOf({ path })).toMatchObject({
    document: {
      document_id: "https://example.com/a b?c#d",
      text: "Hours\nWe open at twenty past nine.",
      tags: [],
      source_url: null,
    },
  });
  const list = { path: `${ofSource()}/documents?limit=1&offset=0` };
  expect(await jsonOf(list)).toMatchObject({ total: 1, documents: [{ title: "Hours" }] });
  const node = { nodeId: "https://example.com/a b?c#d", nodeDataSourceViewId: source.sId };
  const conversation = await jsonOf({
    path: pathsOf(server()).conversations,
    json: {
      message: { content: "When?", mentions: mentionOf(agentId) },
      contentFragments: [{ title: "From the handbook", ...node }],
      blocking: true,
    },
  });
  expect(conversation).toMatchObject({
    conversation: {
      content: [
        [{ contentType: "text/markdown", contentFragmentType: "content_node" }],
        [{}],
        [{}],
      ],
    },
  });
  const asked = service.requests.map(({ body }) => JSON.stringify(body));
  expect(asked.filter((body) => body.includes("We open at twenty past nine."))).toHaveLength(1);
  expect(asked.join()).not.toContain("at eight");
  const gone = { document: { document_id: "https://example.com/a b?c#d" } };
  expect(await jsonOf({ method: "DELETE", path })).toEqual(gone);
  expectError(await send(server(), { path }), "data_source_document_not_found");
  expect(await jsonOf(list)).toEqual({ documents: [], total: 0 });
});

const document = { text: "x" };
const folder = { title: "t", timestamp: 1, mime_type: "x/x" };

test.for<[string, string, unknown, RegExp]>([
  ["no text", "documents/d", {}, /either text or section/],
  ["two texts", "documents/d", { text: "x", section: {} }, /either text or section/],
  ["a long text", "documents/d", { text: "x".repeat(512 * 1024 + 1) }, /text/],
  ["many tags", "documents/d", { ...document, tags: Array(101).fill("x") }, /tags/],
  ["many parents", "documents/d", { ...document, parents: Array(33).fill("x") }, /parents/],
  [
    "other parents",
    "documents/d",
    { ...document, parents: ["d", "a"], parent_id: "b" },
    /parent_id/,
  ],
  ["no MIME type", "documents/d", { ...document, mime_type: "text" }, /mime_type/],
  ["a time in text", "documents/d", { ...document, timestamp: "now" }, /timestamp/],
  ["a NUL", "documents/d", { text: "a\u0000b" }, /text/],
  ["a folder without a title", "folders/d", { ...folder, title: "" }, /title/],
  ["a folder without a time", "folders/d", { ...folder, timestamp: undefined }, /timestamp/],
])("%s is refused, and nothing is stored", async ([, tail, json, message]) => {
  const answer = await send(server(), { path: `${ofSource()}/${tail}`, json });
  expectError(answer, "invalid_request_error", { message });
  expect(await jsonOf({ path: `${ofSource()}/documents` })).toMatchObject({ total: 0 });
});

test("keys of users read and search what they may not write", async () => {
  const { userKey: key } = server().demo;
  const path = `${ofSource()}/documents/read`;
  await jsonOf({ path, json: { text: "Marmalade in the morning", title: "Breakfast" } });
  expectError(await send(server(), { path, json: document, key }), "app_auth_error");
  expectError(await send(server(), { method: "DELETE", path, key }), "app_auth_error");
  const view = inSpace(`data_source_views/${source.sId}`);
  const update = { method: "PATCH", path: view, json: { parentsIn: [] }, key };
  expectError(await send(server(), update), "app_auth_error");
  expect(await jsonOf({ path, key })).toMatchObject({ document: { title: "Breakfast" } });
  expect(await jsonOf({ path: view, key })).toMatchObject({
    dataSourceView: { kind: "default", parentsIn: null, category: "folder" },
  });
  expect(await jsonOf({ path: inSpace("data_source_views"), key })).toEqual({
    dataSourceViews: [expect.objectContaining({ sId: source.sId })],
  });
  expect(await jsonOf({ path: inSpace("data_sources"), key })).toMatchObject({
    data_sources: [{ dustAPIDataSourceId: source.dataSourceId }],
  });
  for (const [kind, found] of [
    ["default", [expect.objectContaining({ sId: source.sId })]],
    ["toString", []],
  ] as const) {
    const search = `${root()}/data_source_views/search?kind=${kind}&dataSourceId=${source.dataSourceId}`;
    expect(await jsonOf({ path: search, key })).toEqual({ data_source_views: found });
  }
  expect(await jsonOf({ path: `${view}/search?query=marmalade&top_k=3`, key })).toMatchObject({
    documents: [{ document_id: "read", chunks: [{ text: "Marmalade in the morning", offset: 0 }] }],
  });
  const json = { query: "break", viewType: "all", spaceIds: [], includeDataSources: false };
  expect(
    await jsonOf({ path: `${root()}/search`, json: { ...json, limit: 5 }, key }),
  ).toMatchObject({
    nodes: [{ internalId: "read", dataSourceViews: [{ sId: source.sId }] }],
    nextPageCursor: null,
  });
  await jsonOf({ method: "DELETE", path });
});

test("a search with a query string is one event for clients that accept only streams", async () => {
  const path = `${root()}/search?query=handbook&includeDataSources=true`;
  const plain = await send(server(), { path });
  expect(JSON.parse(plain.text)).toMatchObject({
    knowledgeResults: { nodes: [{ type: "folder" }] },
  });
  const event = await send(server(), { path, headers: { accept: "text/event-stream" } });
  expect(event.headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(event.text).toBe(`data: ${plain.text}\n\n`);
});

test("conversations in a space are listed to those that reach them", async () => {
  const { workspaceId: wId, adminKey } = server().demo;
  const scopes = ["conversations:read" as const, "conversations:write" as const];
  const { space } = await calls.rpc().spaces.create.mutate({ wId, name: "Project" });
  const tokenOf = async (externalId: string) =>
    (await calls.rpc().userTokens.create.mutate({ wId, externalId, scopes })).secret;
  const [ada, bob] = [await tokenOf("ada"), await tokenOf("bob")];
  const ids: string[] = [];
  for (const key of [ada, bob]) {
    const message = { content: "Hello", mentions: [] };
    const contentFragments = [{ title: "note", content: "x", contentType: "text/plain" }];
    const json = { message, contentFragments, spaceId: space.sId };
    const { conversation } = (await jsonOf({
      path: pathsOf(server()).conversations,
      json,
      key,
    })) as { conversation: { sId: string } };
    ids.unshift(conversation.sId);
  }
  const [ofBob, ofAda] = ids;
  const read = (tail: string, key: string) =>
    jsonOf({ path: `${root()}/spaces/${space.sId}/${tail}`, key });
  expect(await read("conversation_ids", adminKey)).toMatchObject({ conversationIds: ids });
  expect(await read("conversation_ids", ada)).toEqual({
    conversationIds: [ofAda],
    hasMore: false,
    lastValue: expect.any(String) as unknown,
  });
  const { lastValue } = (await read("conversation_ids?limit=1", adminKey)) as { lastValue: string };
  const next = await read(`conversation_ids?limit=1&lastValue=${lastValue}`, adminKey);
  expect(next).toMatchObject({ conversationIds: [ofAda], hasMore: false });
  expect(await read("conversations", bob)).toMatchObject({
    conversations: [
      { sId: ofBob, content: [[{ title: "note" }], [{ content: "Hello", type: "user_message" }]] },
    ],
  });
  const later = await read(`conversations?updatedSince=${Date.now() + 60_000}`, adminKey);
  expect(later).toMatchObject({ conversations: [], hasMore: false });
  expect(await read("project_files", ada)).toMatchObject({
    files: [
      { path: `${ofAda}/note`, sizeBytes: 1, fileId: expect.stringMatching(/^fil_/) as unknown },
    ],
  });
  expect(await read("project_metadata", ada)).toMatchObject({ metadata: { sId: space.sId } });
  const unknown = `${root()}/spaces/vlt_unknown000/conversation_ids`;
  expectError(await send(server(), { path: unknown }), "space_not_found");
});
