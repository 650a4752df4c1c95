import { DurableStream } from "@durable-streams/client";
import { agentMessages, createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { createClientOf } from "../client/clients.ts";
import { startCuttingProxy } from "../client/cutting-proxy.ts";
import { readFrames } from "../frames.ts";
import { open, pathsOf } from "../request.ts";
import { shareServer, within } from "../server.ts";
import { follow, followThrough } from "./follow.ts";

// The protocol's own client against the real routes: what it reads is the log's own stream, whatever way it takes.

const server = shareServer();
const clientOf = createClientOf(server);
const authorization = () => `Bearer ${server().demo.adminKey}`;
const modes = ["long-poll", "sse", true] as const;

async function ask(agent: string): Promise<{ conversation: string; message: string }> {
  const { conversation } = await clientOf().conversations.create({
    message: { content: "Hello! é😀", mentions: [{ configurationId: agent }] },
  });
  const path = `${pathsOf(server()).conversations}/${conversation.sId}`;
  return {
    conversation: path,
    message: `${path}/messages/${agentMessages(conversation)[0]?.sId}`,
  };
}

async function invoke(slug: string): Promise<string> {
  const { invocation } = await clientOf().functions.invoke(
    { functionId: slug },
    { waitSeconds: 0 },
  );
  return `${pathsOf(server()).invocations(slug)}/${invocation.sId}`;
}

/** What the log's own stream has. */
async function ownItems(path: string, query = ""): Promise<string[]> {
  const url = `${path.replace("/api/", "/api/sse/")}/events${query}`;
  const frames = await Array.fromAsync(readFrames(await open(server(), { path: url })));
  return frames.map(({ data }) => JSON.stringify(data));
}

const urlOf = (path: string, query = "") => `${server().url}${path}/stream${query}`;

test.for(modes)(
  "an answer is followed with live %s from its first event to its last",
  async (live) => {
    const { message } = await ask("slowpoke");
    const items = await follow({ url: urlOf(message), authorization: authorization(), live });
    expect(items.length).toBeGreaterThan(3);
    expect(items).toEqual(await ownItems(message));
  },
);

test("an answer that has ended is read at once, and is closed", async () => {
  const { message } = await ask("faulty");
  const items = await ownItems(message);
  expect(
    await follow({ url: urlOf(message), authorization: authorization(), live: false }),
  ).toEqual(items);
  const headers = { Authorization: authorization() };
  const head = await DurableStream.head({ url: urlOf(message), headers });
  expect(head).toMatchObject({ exists: true, streamClosed: true, contentType: "application/json" });
  // What comes after the last event is nothing, not the last event again.
  const { offset } = head as { offset: string };
  const after = { url: urlOf(message), authorization: authorization(), offset };
  for (const live of [false, ...modes]) expect(await follow({ ...after, live })).toEqual([]);
});

test("an invocation has further events on request, as its own stream", async () => {
  const path = await invoke("slow-steps");
  const include = "?include=log,progress";
  const read = { authorization: authorization(), live: true } as const;
  const [all, some] = await Promise.all([
    follow({ ...read, url: urlOf(path, include) }),
    follow({ ...read, url: urlOf(path) }),
  ]);
  expect(all).toEqual(await ownItems(path, include));
  expect(some).toEqual(await ownItems(path));
  expect(some.length).toBeLessThan(all.length);
});

test("a conversation is read up to its end, and stays open", async () => {
  const { conversation, message } = await ask("helper");
  await ownItems(message);
  const headers = { Authorization: authorization() };
  const stream = new DurableStream({ url: urlOf(conversation), headers, warnOnHttp: false });
  const response = await stream.stream<{ data: { type: string } }>({ live: false });
  const items = await response.json();
  expect(items.map(({ data }) => data.type)).toEqual(
    expect.arrayContaining(["user_message_new", "agent_message_new", "agent_message_done"]),
  );
  expect(response.streamClosed).toBe(false);
});

test.for(modes)("with live %s, connections that break cost and repeat no event", async (live) => {
  let bytes = 1500;
  // Longer each time: a page comes whole or not at all.
  await using proxy = await startCuttingProxy(server().url, () => (bytes = Math.ceil(bytes * 1.3)));
  const { message } = await ask("slowpoke");
  const url = `${proxy.url}${message}/stream`;
  const items = await followThrough({ url: () => url, authorization: authorization(), live });
  expect(proxy.cuts()).toBeGreaterThan(0);
  expect(items).toEqual(await ownItems(message));
});

test("a wait ends when its key is revoked", async () => {
  const { url, demo } = server();
  const { workspaceId: wId } = demo;
  const rpc = createRpcClient({ url, apiKey: demo.adminKey });
  const { apiKey, secret } = await rpc.apiKeys.create.mutate({ wId, name: "gone", role: "admin" });
  const { conversation, message } = await ask("helper");
  await ownItems(message);
  const headers = { Authorization: `Bearer ${secret}` };
  const waiting = fetch(urlOf(conversation, "?offset=now&live=long-poll"), { headers });
  await rpc.apiKeys.revoke.mutate({ wId, keyId: apiKey.sId });
  const { status } = await within(8000, waiting);
  expect(status).toBe(401);
});
