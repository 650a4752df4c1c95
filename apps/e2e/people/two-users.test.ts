import { setTimeout as pause } from "node:timers/promises";
import { createRpcClient } from "parley-client";
import {
  type Endpoint,
  type EndpointName,
  endpoints,
  isAboutCaller,
  TokenScope,
} from "@parley/schema";
import { beforeAll, expect, test } from "vitest";
import { comparable, createAsk } from "../administration/ask-endpoint.ts";
import { members } from "../administration/call-members.ts";
import { type Things, unknownThings } from "../administration/closed-space.ts";
import { converse } from "../administration/conversation-with-calls.ts";
import { naming, type Own } from "../administration/space-calls.ts";
import { createFileCalls } from "../files/calls.ts";
import { type Answer, minimal, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";

// Two users of one workspace, each with a token of the same key: neither sees anything of the other, on
// any operation of the table.

// Each user calls every operation within a minute, and the table has more reads than a token has in one.
const server = shareServer({ PARLEY_RATE_USER_DIVISOR: "0", PARLEY_RATE_READ_PER_MINUTE: "0" });
const ask = createAsk(server);

const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
const forTokens = all.filter(([, { scope }]) => scope !== null);
const notForTokens = all.filter(
  ([, endpoint]) => endpoint.scope === null && !isAboutCaller(endpoint),
);

/** Operations that list: what they could tell. */
const telling: Partial<Record<EndpointName, (own: Own) => readonly object[]>> = {
  "conversations.list": () => [{}, { limit: 1 }],
  "memories.list": () => [{}, { scope: "user" }],
  "search.messages": () => [{ query: SECRET }, { query: "-nothing" }],
  "actions.listBlocked": () => [{}, { limit: 1 }],
  "invocations.list": ({ functionId }) => [{ functionId }, { functionId, status: "succeeded" }],
};

/** Operations that have nothing of a user in them, and why. */
const apart: Partial<Record<EndpointName, string>> = {
  "files.create": "announces a file of the caller's own, and names none",
  "clientServers.register": "registers a server of the caller's own, and names none",
  "clientServers.deregister": "a server has one owner: tools/client-tools.test.ts",
  "clientServers.heartbeat": "a server has one owner: tools/client-tools.test.ts",
  "clientServers.answer": "a server has one owner: tools/client-tools.test.ts",
  "clientServers.events": "a server has one owner: tools/client-tools.test.ts",
  "skills.list": "skills are the workspace's",
  "sandboxFunctions.list": "functions are the workspace's",
  "sandboxFunctions.invoke": "functions are the workspace's",
  "agents.list": "agents are the workspace's",
  "agents.search": "agents are the workspace's",
  "agents.get": "agents are the workspace's",
  "agents.patch": "agents are the workspace's, and a favourite is its user's",
  "mentions.parse": "tells tokens of agents and of their own user",
  "spaces.list": "spaces are the workspace's",
  "workspaces.exists": "says nothing but that the token is valid",
  "usage.own": "sums what its own user used: packages/core/src/usage/read-usage.test.ts",
  "featureFlags.list": "there are none",
  "verifiedDomains.list": "there are none",
};

test("every operation is closed to tokens, or its way to another user's things is in a table", () => {
  const decided = [...Object.keys(telling), ...Object.keys(apart)];
  const open = forTokens.map(([name]) => name);
  const undecided = open.filter((name) => !(name in naming) && !decided.includes(name));
  expect(undecided).toEqual([]);
  expect(Object.keys(apart).filter((name) => name in naming || name in telling)).toEqual([]);
});

const SECRET = "heliotrope";
let ada: { key: string; own: Own };
let bob: { key: string; things: Things; functionId: string };
let read: () => Promise<string>;

beforeAll(async () => {
  const { url, demo } = server();
  const { workspaceId } = demo;
  const admin = createRpcClient({ url, apiKey: demo.adminKey });
  const { secret: appKey } = await admin.apiKeys.create.mutate({
    wId: workspaceId,
    name: "app",
    role: "user",
  });
  const mint = async (externalId: string): Promise<string> => {
    const scopes = [...TokenScope.options];
    const app = createRpcClient({ url, apiKey: appKey });
    return (await app.userTokens.create.mutate({ wId: workspaceId, externalId, scopes })).secret;
  };
  const bobKey = await mint("bob");
  const talk = await converse(server, admin, { key: bobKey, text: SECRET });
  // From then on a search finds it for whoever reaches it.
  const search = { wId: workspaceId, query: SECRET };
  while ((await admin.search.messages.query(search)).messages.length === 0) await pause(50);
  const files = createFileCalls(server);
  const uploaded = await files.upload(`${SECRET} file`, {}, bobKey);
  const ofBob = createRpcClient({ url, apiKey: bobKey });
  const file = { path: `/memories/user/${SECRET}.md`, file_text: SECRET };
  await ofBob.memories.run.mutate({ wId: workspaceId, command: "create", ...file });
  const { memories } = await ofBob.memories.list.query({ wId: workspaceId });
  const memoryId = memories[0]?.sId ?? "";
  const things = { ...unknownThings, ...talk.things, attachedFileId: uploaded.sId, memoryId };
  bob = { key: bobKey, things, functionId: talk.functionId };
  const adaKey = await mint("ada");
  const { conversation } = await createRpcClient({
    url,
    apiKey: adaKey,
  }).conversations.create.mutate({ wId: workspaceId, ...minimal });
  const { functionId } = talk;
  const own = { cId: conversation.sId, skillId: "none", agentId: "none", functionId };
  ada = { key: adaKey, own };
  read = async () => {
    const { cId, fragmentFileId, attachedFileId, invocationId } = things;
    const ofMemory = await ask("memories.get", { memoryId }, bobKey);
    const answers = await Promise.all([
      ask("conversations.get", { cId }, bobKey),
      ask("conversations.listBlockedActions", { cId }, bobKey),
      ask("conversations.list", {}, bobKey),
      ask("invocations.get", { functionId, invocationId }, bobKey),
      ask("files.get", { fileId: fragmentFileId }, bobKey),
      ask("files.get", { fileId: attachedFileId }, bobKey),
    ]);
    answers.push(ofMemory);
    for (const { status, text } of answers) if (status !== 200) throw new Error(text);
    return JSON.stringify(answers.map(({ text }) => text));
  };
});

test.for(forTokens.filter(([name]) => name in naming))(
  "%s: what is another user's is what is not there",
  async ([name]) => {
    const before = await read();
    const inputs = naming[name]!(bob.things, ada.own);
    const others = naming[name]!(unknownThings, ada.own);
    for (const [index, input] of inputs.entries()) {
      const answer = await ask(name, input, ada.key);
      const unknown = await ask(name, others[index]!, ada.key);
      expect(comparable(answer, bob.things)).toBe(comparable(unknown, unknownThings));
      expect(answer.text).not.toContain(SECRET);
      // No call is refused for its form or its scope before it comes to what it names.
      if (name === "files.upload") continue;
      expect(answer.text).not.toMatch(/app_auth_error|"Invalid (?!request body: actionId)/);
    }
    expect(await read()).toBe(before);
  },
);

test.for(forTokens.filter(([name]) => name in telling))(
  "%s: tells nothing of another user",
  async ([name]) => {
    const ofBob = Object.values(bob.things).filter(
      (id) => !Object.values(unknownThings).includes(id),
    );
    for (const input of telling[name]!(ada.own)) {
      const { status, text } = await ask(name, input, ada.key);
      expect(status).toBe(200);
      expect(text).not.toContain(SECRET);
      for (const id of ofBob) expect(text).not.toContain(id);
      expect(text).toContain('"hasMore":false');
      // To its own user it tells.
      const own = await ask(name, { ...input }, bob.key);
      expect(ofBob.filter((id) => own.text.includes(id))).not.toEqual([]);
    }
  },
);

test.for(notForTokens)(
  "%s: is closed to tokens, whatever their scopes",
  async ([name, { kind }]) => {
    const form = { name: "x", onConflict: "error" };
    const answer = await ask(name, kind === "multipart" ? form : (members[name] ?? {}), bob.key);
    expect(answer.text).toContain('"type":"app_auth_error"');
    expect(answer.status).toBe(403);
  },
);

test("a conversation's stream of another user is not there, before and behind the redirect", async () => {
  const { conversations } = pathsOf(server());
  const headers = { "x-request-id": "same" };
  for (const path of [conversations, conversations.replace("/api/", "/api/sse/")]) {
    const tails = [`/${bob.things.cId}`, "/AAAAAAAAAA"].flatMap((conversation) => [
      `${conversation}/events`,
      `${conversation}/messages/${bob.things.mId}/events`,
    ]);
    const answers: Answer[] = [];
    for (const tail of tails) {
      answers.push(await send(server(), { path: path + tail, key: ada.key, headers }));
    }
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }
});

test("the same Idempotency-Key of two users creates two conversations", async () => {
  const { conversations: path } = pathsOf(server());
  const headers = { "idempotency-key": "shared" };
  const create = async (key: string) => {
    const { headers: sent, text } = await send(server(), { path, json: minimal, key, headers });
    const { conversation } = JSON.parse(text) as { conversation: { sId: string } };
    return { sId: conversation.sId, isReplay: sent.get("idempotent-replayed") === "true" };
  };
  const first = await create(bob.key);
  const second = await create(ada.key);
  expect(second).toMatchObject({ isReplay: false });
  expect(second.sId).not.toBe(first.sId);
  expect(await create(ada.key)).toEqual({ sId: second.sId, isReplay: true });
});
