import { agentMessages, createParley, createRpcClient } from "parley-client";
import { type Conversation, TokenScope } from "@parley/schema";
import { beforeAll, expect, test } from "vitest";
import { expectError, minimal, open, pathsOf, send } from "../request.ts";
import { eventually, shareServer, within } from "../server.ts";

// Tokens of users: creation, end, and limits.

const server = shareServer({ PARLEY_CORS_ORIGINS: "https://app.example.com" });

const scopes = [...TokenScope.options];
const rpc = (apiKey = server().demo.adminKey) => createRpcClient({ url: server().url, apiKey });
const workspace = () => ({ wId: server().demo.workspaceId });
const newKey = (role: "none" | "user" | "builder", name: string = role) =>
  rpc().apiKeys.create.mutate({ ...workspace(), name, role });

let app: string;
beforeAll(async () => {
  app = (await newKey("user", "app")).secret;
});

const mint = (externalId: string, more: object = {}, key = app) =>
  rpc(key).userTokens.create.mutate({ ...workspace(), externalId, scopes, ...more });

const call = (key: string, more: object = {}) =>
  send(server(), { path: pathsOf(server()).conversations, key, ...more });

async function createdBy(key: string, json: object = minimal): Promise<Conversation> {
  const { status, text } = await call(key, { json });
  expect([status, text]).toEqual([200, text]);
  return (JSON.parse(text) as { conversation: Conversation }).conversation;
}

test("the author of a token's messages is its user, whatever the context says", async () => {
  const { wId: workspaceId } = workspace();
  const email = "victim@example.com";
  const { member } = await rpc().members.add.mutate({
    wId: workspaceId,
    email,
    firstName: "Victim",
  });
  const { secret, user } = await mint("author");
  const context = { username: "victim", timezone: "UTC", email };
  const { content } = await createdBy(secret, { message: { ...minimal.message, context } });
  expect(content).toMatchObject([[{ user: { sId: user.sId } }]]);
  // With a key, the address names the author, who then owns the conversation.
  const byKey = await createdBy(app, { message: { ...minimal.message, context } });
  const { secret: victim } = await rpc(app).userTokens.create.mutate({
    wId: workspaceId,
    userId: member.sId,
    scopes,
  });
  expect((await call(victim)).text).toContain(byKey.sId);
  // An address that nobody has creates nobody.
  const nobody = { ...context, email: "nobody@example.com" };
  await createdBy(app, { message: { ...minimal.message, context: nobody } });
  const { members } = await rpc().members.list.query({ wId: workspaceId });
  expect(members.map((one) => one.email)).not.toContain("nobody@example.com");
});

test("an external id names one user, and only builders name addresses", async () => {
  const first = await mint("one", { firstName: "One" });
  expect((await mint("one", { firstName: "Other" })).user).toEqual(first.user);
  const email = "linked@example.com";
  const { member } = await rpc().members.add.mutate({ ...workspace(), email, firstName: "L" });
  await expect(mint("linked", { email })).rejects.toMatchObject({
    data: { type: "app_auth_error" },
  });
  const { adminKey } = server().demo;
  expect((await mint("linked", { email }, adminKey)).user.sId).toBe(member.sId);
  await expect(mint("another", { email }, adminKey)).rejects.toMatchObject({
    data: { type: "member_already_exists" },
  });
});

test("a token never sees more than its key", async () => {
  const byAdmin = await mint("wide", {}, server().demo.adminKey);
  const { sId } = await createdBy(byAdmin.secret);
  const { secret: other } = await newKey("user", "other");
  const byOther = await mint("wide", {}, other);
  expect((await call(byOther.secret)).text).toContain('"conversations":[]');
  const { secret: builder, apiKey } = await newKey("builder");
  const byBuilder = await mint("wide", {}, builder);
  expect((await call(byBuilder.secret)).text).toContain(sId);
  // A key that loses its role takes it from its tokens.
  const change = { ...workspace(), keyId: apiKey.sId, role: "user" as const };
  await rpc().apiKeys.update.mutate(change);
  expect((await call(byBuilder.secret)).text).toContain('"conversations":[]');
});

test("a token reaches the restricted spaces that were named, while its key reaches them", async () => {
  const { wId: workspaceId } = workspace();
  const { secret: key, apiKey } = await newKey("user", "of space");
  const { space } = await rpc().spaces.create.mutate({
    wId: workspaceId,
    name: "Restricted",
    isRestricted: true,
    keyIds: [apiKey.sId],
  });
  const spaceIds = [space.sId];
  await expect(mint("spaced", { spaceIds })).rejects.toMatchObject({
    data: { type: "space_not_found" },
  });
  const inside = (await mint("spaced", { spaceIds }, key)).secret;
  const outside = (await mint("spaced", {}, key)).secret;
  const { sId } = await createdBy(inside, { ...minimal, spaceId: space.sId });
  const refused = await call(outside, { json: { ...minimal, spaceId: space.sId } });
  expectError(refused, "space_not_found");
  const spaces = async (token: string) =>
    (await send(server(), { path: `${pathsOf(server()).workspace}/spaces`, key: token })).text;
  expect(await spaces(inside)).toContain(space.sId);
  expect(await spaces(outside)).not.toContain(space.sId);
  expect((await call(outside)).text).not.toContain(sId);
  expect((await call(inside)).text).toContain(sId);
  const events = `${pathsOf(server()).conversations.replace("/api/", "/api/sse/")}/${sId}/events`;
  expect((await open(server(), { path: events, key: outside })).status).toBe(404);
  const stream = await open(server(), { path: events, key: inside });
  await rpc().spaces.update.mutate({ wId: workspaceId, spaceId: space.sId, keyIds: [] });
  await within(5000, stream.text());
  expect((await call(inside)).text).not.toContain(sId);
});

test.for([
  ["its one token is revoked", "revoke one"],
  ["all tokens of the user are revoked", "revoke all"],
  ["its key is revoked", "revoke key"],
  ["its key is disabled", "disable key"],
  ["its user is removed", "remove user"],
  ["it expires", "expire"],
] as const)("a token and its open streams end when %s", async ([, how]) => {
  const { wId: workspaceId } = workspace();
  const { secret: key, apiKey } = await newKey("user", how);
  const lifetimeSeconds = how === "expire" ? 3 : 600;
  const { secret, userToken, user } = await mint(`ended by ${how}`, { lifetimeSeconds }, key);
  const conversation = await createdBy(secret);
  const root = pathsOf(server()).conversations.replace("/api/", "/api/sse/");
  const path = `${root}/${conversation.sId}/events`;
  const stream = await open(server(), { path, key: secret });
  expect(stream.status).toBe(200);
  const errors: unknown[] = [];
  const subscription = rpc(secret).conversations.events.subscribe(
    { wId: workspaceId, cId: conversation.sId },
    { onError: (error) => void errors.push(error) },
  );
  const end = {
    "revoke one": () =>
      rpc(key).userTokens.revoke.mutate({ wId: workspaceId, tokenId: userToken.sId }),
    "revoke all": () => rpc().userTokens.revoke.mutate({ wId: workspaceId, userId: user.sId }),
    "revoke key": () => rpc().apiKeys.revoke.mutate({ wId: workspaceId, keyId: apiKey.sId }),
    "disable key": () =>
      rpc().apiKeys.update.mutate({ wId: workspaceId, keyId: apiKey.sId, disabled: true }),
    "remove user": () => rpc().members.remove.mutate({ wId: workspaceId, memberId: user.sId }),
    expire: async () => ({ success: true }),
  };
  await end[how]();
  // What was revoked is refused from now on; what expires, a little later.
  if (how !== "expire") expectError(await call(secret), "invalid_api_key_error");
  await within(6000, stream.text());
  await eventually(async () => (errors.length > 0 ? { value: true } : {}), 6000);
  subscription.unsubscribe();
  expectError(await call(secret), "invalid_api_key_error");
});

test("a key of role user revokes its own tokens only", async () => {
  const { userToken, user } = await mint("kept", {}, server().demo.adminKey);
  const { wId: workspaceId } = workspace();
  for (const tokenId of [userToken.sId, "tok_unknown000"]) {
    await expect(
      rpc(app).userTokens.revoke.mutate({ wId: workspaceId, tokenId }),
    ).rejects.toMatchObject({ data: { type: "user_token_not_found" } });
  }
  const { secret } = await mint("kept", {}, server().demo.adminKey);
  await rpc(app).userTokens.revoke.mutate({ wId: workspaceId, userId: user.sId });
  expect((await call(secret)).status).toBe(200);
});

test("a user has a bounded number of live tokens", async () => {
  const { adminKey } = server().demo;
  const { user } = await mint("many", {}, adminKey);
  for (let count = 1; count < 100; count++) await mint("many", {}, adminKey);
  await expect(mint("many", {}, adminKey)).rejects.toMatchObject({
    data: { type: "invalid_request_error" },
  });
  await rpc().userTokens.revoke.mutate({ ...workspace(), userId: user.sId });
  await mint("many", {}, adminKey);
});

test("a token that is mistyped, unknown or another workspace's is refused", async () => {
  const { secret } = await mint("mistyped");
  const changed = secret.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  expectError(await call(changed), "invalid_api_key_error");
  expectError(await call("ut-short"), "malformed_authorization_header_error");
  const { demo, url } = server();
  const operator = createRpcClient({ url, apiKey: demo.operatorKey });
  const { workspace: foreign } = await operator.workspaces.create.mutate({ name: "Foreign" });
  const path = `/api/v1/w/${foreign.sId}/assistant/conversations`;
  expectError(await send(server(), { path, key: secret }), "workspace_auth_error");
});

test("a token without the scope of an operation is refused, on streams too", async () => {
  const { secret } = await mint("scoped", { scopes: ["conversations:write"] });
  const { sId } = await createdBy(secret);
  expectError(await call(secret), "app_auth_error", { message: /conversations:read/ });
  const path = `${pathsOf(server()).conversations}/${sId}/events`;
  expectError(await send(server(), { path, key: secret }), "app_auth_error");
});

test("a key of role none creates no token, and a lowered key takes the role of its tokens", async () => {
  const { secret: none } = await newKey("none");
  await expect(mint("none", {}, none)).rejects.toMatchObject({ data: { type: "app_auth_error" } });
  const { secret: key, apiKey } = await newKey("user", "lowered");
  const { secret } = await mint("none", {}, key);
  const change = { ...workspace(), keyId: apiKey.sId, role: "none" as const };
  await rpc().apiKeys.update.mutate(change);
  expectError(await call(secret), "app_auth_error");
});

test("a page of an allowed origin uses a token over both transports", async () => {
  const { secret } = await mint("page");
  const origin = "https://app.example.com";
  const { conversations } = pathsOf(server());
  const preflight = await send(server(), {
    method: "OPTIONS",
    path: conversations,
    key: null,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key,last-event-id",
    },
  });
  expect(preflight.headers.get("access-control-allow-headers")).toContain("idempotency-key");
  const headers = { origin };
  const created = await call(secret, { json: minimal, headers });
  expect(created.headers.get("access-control-allow-origin")).toBe(origin);
  const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
  const path = `${conversations}/${conversation.sId}/events`;
  const redirect = await send(server(), { path, key: secret, headers });
  expect(redirect.headers.get("access-control-allow-origin")).toBe(origin);
  const target = redirect.headers.get("location") ?? "";
  const signal = AbortSignal.timeout(2000);
  const stream = await open(server(), { path: target, key: secret, headers, signal });
  expect(stream.headers.get("access-control-allow-origin")).toBe(origin);
  await stream.body?.cancel();
});

test("the client takes a token if it takes a key, and follows streams with it", async () => {
  const { secret } = await mint("client");
  const { url: baseUrl } = server();
  const parley = createParley({ baseUrl, workspaceId: workspace().wId, apiKey: () => secret });
  const message = { content: "Hi", mentions: [{ configurationId: "helper" }] };
  const { conversation } = await parley.conversations.create({ message });
  const { conversations } = await parley.conversations.list();
  expect(conversations.map(({ sId }) => sId)).toEqual([conversation.sId]);
  const [answer] = agentMessages(conversation);
  const types: string[] = [];
  const ids = { conversationId: conversation.sId, messageId: answer?.sId ?? "" };
  for await (const event of parley.messages.follow(ids)) types.push(event.type);
  expect(types.at(-1)).toBe("agent_message_success");
});
