import { agentMessages, createParley, createRpcClient, type Parley } from "parley-client";
import type { InvocationEvent } from "@parley/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { createPlace, type Place, type Server, startServer } from "../server.ts";

// The tutorial: what a newcomer does with a server that was just started, from top to bottom.

let place: Place;
let server: Server;
let parley: Parley;

beforeAll(async () => {
  // `parley serve` in an empty directory creates a database and a demo workspace.
  place = await createPlace({ isEmbedded: true, isBare: true });
  server = await startServer(place);

  // The URL and the keys for clients are in <data directory>/demo.json.
  const { url, workspaceId, userKey } = server.demo;
  parley = createParley({ baseUrl: url, workspaceId, apiKey: userKey });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

test("a conversation without mentions is a place to write to", async () => {
  const created = await parley.conversations.create({
    title: "Notes",
    message: { content: "Nobody has to answer this.", mentions: [] },
  });

  expect(created.conversation.title).toBe("Notes");
  expect(created.message.content).toBe("Nobody has to answer this.");
  expect(agentMessages(created.conversation)).toEqual([]);
});

test("a client that mentions an agent and does not wait gets an empty answer", async () => {
  const created = await parley.conversations.create({
    message: { content: "Hello!", mentions: [{ configurationId: "slowpoke" }] },
  });

  const [answer] = agentMessages(created.conversation);
  expect(answer).toMatchObject({ status: "created", content: "" });
  expect(answer?.parentMessageId).toBe(created.message.sId);
});

test("a client that waits gets the answer", async () => {
  const created = await parley.conversations.create({
    message: {
      content: "Hello!",
      mentions: [{ configurationId: "helper" }],
      context: { username: "ada", timezone: "Europe/London", fullName: "Ada Lovelace" },
    },
    blocking: true,
  });

  const [answer] = agentMessages(created.conversation);
  expect(answer?.status).toBe("succeeded");
  expect(answer?.content).toContain("You said: Hello!");
});

test("a client that does not wait can follow the text while it is written", async () => {
  const created = await parley.conversations.create({
    message: { content: "Slowly, please.", mentions: [{ configurationId: "slowpoke" }] },
  });

  const { sId: conversationId } = created.conversation;
  const [answer] = agentMessages(created.conversation);
  let text = "";
  for await (const part of parley.messages.text({ conversationId, messageId: answer!.sId })) {
    text += part;
  }

  const { conversation } = await parley.conversations.get({ conversationId });
  expect(text).toMatch(/^I take my time, .* nothing is missing\.$/);
  expect(agentMessages(conversation)[0]).toMatchObject({ status: "succeeded", content: text });
});

test("each of several mentioned agents answers, and one may fail", async () => {
  const created = await parley.conversations.create({
    message: {
      content: "Hello, you two!",
      mentions: [{ configurationId: "helper" }, { configurationId: "faulty" }],
    },
    blocking: true,
  });

  const [helper, faulty] = agentMessages(created.conversation);
  expect(helper).toMatchObject({ status: "succeeded", error: null });
  expect(faulty).toMatchObject({ status: "failed", error: "This agent always fails" });
});

test("a mention of an unknown agent is a warning, so that nobody waits for it", async () => {
  const created = await parley.conversations.create({
    message: { content: "Anybody?", mentions: [{ configurationId: "nobody" }] },
    blocking: true,
  });

  expect(agentMessages(created.conversation)).toEqual([]);
  expect(created.warnings?.[0]?.path).toBe("message.mentions[0].configurationId");
});

test("the published skills of the workspace are listed", async () => {
  const { skills } = await parley.skills.list();
  expect(skills.map((skill) => skill.name)).toEqual([
    "active-users-and-agents",
    "active-workspace-users",
  ]);

  const archived = await parley.skills.list({ status: "archived", availability: ["editors"] });
  expect(archived.skills).toEqual([]);
});

test("a function is invoked and gives its result", async () => {
  const { invocation, outcome } = await parley.functions.invoke({
    functionId: "add",
    input: { a: 19, b: 23 },
  });

  expect(invocation.status).toBe("succeeded");
  expect(outcome).toEqual({ status: "succeeded", result: { sum: 42 } });
});

test("a function that fails says so", async () => {
  const { outcome } = await parley.functions.invoke({ functionId: "always-fails" });

  expect(outcome).toMatchObject({ status: "errored", error: { code: "threw" } });
});

test("a slow function is followed while it runs, and resumed where a follower was cut off", async () => {
  // Not waiting for it, we get an invocation that has only begun.
  const { invocation, outcome } = await parley.functions.invoke(
    { functionId: "slow-steps" },
    { waitSeconds: 0 },
  );
  expect(invocation.status).toBe("created");
  expect(outcome).toBeUndefined();

  // The client shows every event as it comes, and ends with the last.
  const followed: InvocationEvent[] = [];
  const events = parley.invocations.follow({
    functionId: "slow-steps",
    invocationId: invocation.sId,
    include: ["log", "progress"],
  });
  for await (const event of events) followed.push(event);
  const types = followed.map((event) => event.type.replace("sandbox_function_invocation_", ""));
  const step = ["log", "progress"];
  expect(types).toEqual(["created", ...step, ...step, ...step, ...step, "result"]);

  // Any SSE client can do the same. Events have numbers, from 1; a client that sends the
  // number of its last event gets those that follow it.
  const { url, workspaceId, userKey } = server.demo;
  const resumed = await fetch(
    `${url}/api/w/${workspaceId}/sandbox-functions/slow-steps/invocations/${invocation.sId}` +
      "/events?include=log,progress&lastEventId=8",
    { headers: { authorization: `Bearer ${userKey}` } },
  );
  const frames = await Array.fromAsync(readFrames(resumed));
  expect(frames.map(({ id }) => id)).toEqual(["9", "10"]);
  expect(frames.map(({ data }) => data)).toEqual(followed.slice(8));
});

test("an operator creates a workspace and a key, and revokes the key", async () => {
  // Operators use the typed RPC, with a key that is not any workspace's.
  const { url, operatorKey } = server.demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name: "Analytical Engines" });
  const { apiKey, secret } = await operator.apiKeys.create.mutate({
    wId: workspace.sId,
    name: "notebook",
    role: "user",
  });

  // The key works only in its workspace.
  const theirs = createParley({ baseUrl: url, workspaceId: workspace.sId, apiKey: secret });
  const { conversation } = await theirs.conversations.create({
    message: { content: "A first note", mentions: [] },
  });
  expect(conversation.owner).toMatchObject({ name: "Analytical Engines", role: "user" });
  const ours = { baseUrl: url, workspaceId: server.demo.workspaceId, apiKey: secret };
  await expect(createParley(ours).skills.list()).rejects.toMatchObject({
    status: 401,
    type: "workspace_auth_error",
  });

  // A revoked key is refused at once.
  await operator.apiKeys.revoke.mutate({ wId: workspace.sId, keyId: apiKey.sId });
  await expect(theirs.skills.list()).rejects.toMatchObject({
    status: 401,
    type: "invalid_api_key_error",
  });
  const { apiKeys } = await operator.apiKeys.list.query({ wId: workspace.sId });
  expect(apiKeys.map(({ name, revokedAt }) => [name, revokedAt !== null])).toEqual([
    ["admin", false],
    ["notebook", true],
  ]);
});
