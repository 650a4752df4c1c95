import { CreatedConversation, endpoints } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, jsonOf, minimal, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf, readUntil } from "../siblings/calls.ts";
import { messageFrame } from "../siblings/sibling-shapes.ts";

// The interface: one test for each row of the table, named after it. Files and path-backed
// generated files are tested where they are made.

const server = shareServer({ PARLEY_RATE_CREATE_PER_MINUTE: "60" });
const calls = createCalls(server);
const conversations = () => pathsOf(server()).conversations;
/** The members of a create's answer, as they came. */
const createRaw = async (json: unknown) => {
  const answer = await send(server(), { path: conversations(), json });
  return jsonOf(answer, CreatedConversation).raw as Record<string, Record<string, unknown>>;
};

test("one property in the create response: `message` and, when there are any, `warnings` beside it", async () => {
  expect(Object.keys(await createRaw(minimal)).toSorted()).toEqual(["conversation", "message"]);
  const warned = await createRaw({ message: { content: "x", mentions: mentionOf("nobody") } });
  expect(Object.keys(warned).toSorted()).toEqual(["conversation", "message", "warnings"]);
});

test("`content` of a waiting agent message is the empty string", async () => {
  const { conversation } = await calls.create("x", ["slowpoke"]);
  expect(conversation.content[1]?.[0]).toMatchObject({ status: "created", content: "" });
  expect((await calls.get(conversation.sId)).content[1]?.[0]).toMatchObject({ content: "" });
});

test("`user` is always an object: member or service user", async () => {
  const { workspaceId } = server().demo;
  const email = "decided@example.com";
  const member = { wId: workspaceId, email, firstName: "De", lastName: "Cided" };
  await calls.rpc().members.add.mutate(member);
  const userOf = async (context?: object) =>
    (await createRaw({ message: { ...minimal.message, context } }))["message"]?.["user"];
  expect(await userOf()).toMatchObject({ email: "", provider: "" });
  const who = { username: "x", timezone: "UTC" };
  expect(await userOf({ ...who, email: "nobody@example.com" })).toMatchObject({ email: "" });
  expect(await userOf({ ...who, email })).toMatchObject({ email, fullName: "De Cided" });
});

test("`configuration.versionAuthorId` is always null", async () => {
  const agentId = await calls.createAgent("authored", { steps: [{ text: "x" }], tokenDelayMs: 0 });
  const { conversation } = await calls.create("x", ["helper", agentId]);
  for (const [message] of conversation.content.slice(1)) {
    expect(message).toHaveProperty("configuration.versionAuthorId", null);
  }
});

test("`error` of an agent message: the string in the specified operations, the object elsewhere", async () => {
  const { conversation } = await calls.create("x", ["faulty"], { blocking: true });
  const cId = conversation.sId;
  const failed = conversation.content[1]?.[0];
  expect(failed).toMatchObject({ status: "failed", error: "This agent always fails" });
  const object = { code: "simulated_failure", message: "This agent always fails", metadata: null };
  expect((await calls.get(cId)).content[1]?.[0]).toMatchObject({ error: object });
  const stream = await calls.stream(`/${cId}/messages/${failed?.sId}/events`);
  expect((await readUntil(stream, messageFrame)).at(-1)?.data["error"]).toEqual(object);
  const body = { content: "x", mentions: mentionOf("faulty"), blocking: true };
  expect((await calls.post(cId, body)).agentMessages).toMatchObject([{ error: object }]);
});

test("`actions` of an AgentConfiguration is a list, as specified", async () => {
  const path = `${pathsOf(server()).workspace}/assistant/agent_configurations`;
  const list = jsonOf(await send(server(), { path }), endpoints["agents.list"].output).parsed;
  expect(list.agentConfigurations.length).toBeGreaterThan(2);
  for (const agent of list.agentConfigurations) expect(agent.actions).toEqual([]);
});

test("`message` missing in a create body: 400", async () => {
  for (const json of [{}, { message: null }, { title: "x" }]) {
    const answer = await send(server(), { path: conversations(), json });
    expectError(answer, "invalid_request_error", { status: 400, field: "message" });
  }
});

test("`message.context` missing: accepted", async () => {
  for (const context of [undefined, null]) {
    const { message } = await createRaw({ message: { ...minimal.message, context } });
    const filled = { username: "API User", timezone: "UTC", origin: "api" };
    expect(message?.["context"]).toEqual(filled);
  }
});

test("several mentioned agents: one agent message each; the same agent twice counts once", async () => {
  const { conversation } = await calls.create("x", ["helper", "faulty", "helper", "slowpoke"]);
  const ids = conversation.content.map(([one]) =>
    one?.type === "agent_message" ? one.configuration.sId : one?.type,
  );
  expect(ids).toEqual(["user_message", "helper", "faulty", "slowpoke"]);
});

test("`agenticMessageData` from ordinary keys: accepted and stored", async () => {
  const agenticMessageData = { type: "run_agent", originMessageId: "x" };
  const context = { username: "x", timezone: "UTC", agenticMessageData };
  const answer = await send(server(), {
    path: conversations(),
    key: server().demo.userKey,
    json: { message: { ...minimal.message, context } },
  });
  const { conversation } = jsonOf(answer, CreatedConversation).parsed;
  const stored = await calls.get(conversation.sId);
  expect(stored.content[0]?.[0]).toMatchObject({ context: { agenticMessageData } });
});

test("`title` absent: the first words of the message", async () => {
  for (const title of [undefined, null]) {
    const { conversation } = await createRaw({
      message: { content: "Two words", mentions: [] },
      title,
    });
    expect(conversation?.["title"]).toBe("Two words");
  }
});

test("sandbox event frame: flat, while messages and conversations have the envelope", async () => {
  const { invocations, events } = pathsOf(server());
  const invoked = await send(server(), {
    path: invocations("add"),
    json: { input: { a: 1, b: 2 } },
  });
  const { invocation } = JSON.parse(invoked.text) as { invocation: { sId: string } };
  const path = events("add", invocation.sId).replace("/api/", "/api/sse/");
  const { text } = await send(server(), { path });
  expect(text).toMatch(/^data: \{"type":"sandbox_function_invocation_created",/);
  const { conversation } = await calls.create("x", ["helper"], { blocking: true });
  const stream = await calls.stream(
    `/${conversation.sId}/messages/${conversation.content[1]?.[0]?.sId}/events`,
  );
  expect(await stream.text()).toMatch(/^data: \{"eventId":"1","data":\{"type":/);
});

test("per-actor rate limit: 429", async () => {
  const { workspaceId } = server().demo;
  const key = { wId: workspaceId, name: "limited", role: "user" } as const;
  const { secret } = await calls.rpc().apiKeys.create.mutate(key);
  const request = { path: conversations(), json: minimal, key: secret };
  const answers = await Promise.all(Array.from({ length: 61 }, () => send(server(), request)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(1);
  for (const answer of refused) {
    expectError(answer, "rate_limit_error", { status: 429 });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

test("foreign workspace and unknown workspace: 401 for both", async () => {
  const { workspace } = await calls.operator().workspaces.create.mutate({ name: "Foreign" });
  const [foreign, unknown] = await Promise.all(
    [workspace.sId, "AAAAAAAAAA"].map((wId) => {
      const path = `/api/v1/w/${wId}/assistant/conversations`;
      return send(server(), { path, headers: { "x-request-id": "same" } });
    }),
  );
  if (!foreign || !unknown) throw new Error("Two were asked");
  expectError(foreign, "workspace_auth_error", { status: 401 });
  expect(unknown.text).toBe(foreign.text);
});

test("unknown space, wrong content type, against the specified status set: 400", async () => {
  const json = { ...minimal, spaceId: "vlt_AAAAAAAAAA" };
  const space = await send(server(), { path: conversations(), json });
  expectError(space, "space_not_found", { status: 400 });
  const headers = { "content-type": "text/plain" };
  const body = JSON.stringify(minimal);
  const typed = await send(server(), { path: conversations(), headers, body });
  expectError(typed, "invalid_request_error", { status: 400, message: "Invalid request body: " });
});

test("unknown agent: 200 with `warnings`, the same for an archived and for a foreign one", async () => {
  const { workspaceId } = server().demo;
  const script = { steps: [{ text: "x" }], tokenDelayMs: 0 };
  const archived = await calls.createAgent("archived", script);
  await calls.rpc().agents.archive.mutate({ wId: workspaceId, agentId: archived });
  const operator = calls.operator();
  const { workspace } = await operator.workspaces.create.mutate({ name: "Foreign" });
  const { agentConfiguration: foreign } = await operator.agents.create.mutate({
    wId: workspace.sId,
    name: "foreign",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
  });
  const { warnings, conversation } = await calls.create("x", ["nobody", archived, foreign.sId]);
  expect(conversation.content).toHaveLength(1);
  expect(warnings?.map(({ path }) => path)).toEqual(
    [0, 1, 2].map((index) => `message.mentions[${index}].configurationId`),
  );
  expect(new Set(warnings?.map(({ message }) => message)).size).toBe(1);
});

test("invocation body with unknown members: ignored", async () => {
  const json = { input: { a: 1, b: 2 }, unknown: [1], context: { timezone: "UTC", unknown: 1 } };
  const answer = await send(server(), { path: pathsOf(server()).invocations("add"), json });
  expect(answer.status).toBe(201);
  expect(JSON.parse(answer.text)).toMatchObject({ outcome: { result: { sum: 3 } } });
});
