import { createRpcClient } from "parley-client";
import { generateKeyPair } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPlace, openHostedServer, type Server } from "../server.ts";
import { expectError, minimal, pathsOf, send } from "../request.ts";
import { AUDIENCE, startIssuer, type TestIssuer } from "./issuer.ts";

// Tokens of an OpenID Connect issuer, over real HTTP on both sides.

let issuer: TestIssuer;
let server: Server;
const opened: AsyncDisposable[] = [];

const settings = (url: string) => ({
  PARLEY_OIDC_ISSUER: url,
  PARLEY_OIDC_AUDIENCE: AUDIENCE,
  PARLEY_OIDC_WORKSPACE_CLAIM: "workspace",
  PARLEY_OIDC_LOOPBACK: "true",
});

/** Starts a server that accepts the tokens of an issuer. */
async function serve(url: string, changed: Record<string, string> = {}): Promise<Server> {
  const own = await createPlace();
  const started = await openHostedServer(own, { ...settings(url), ...changed });
  opened.unshift(started, own);
  return started;
}

beforeAll(async () => {
  issuer = await startIssuer();
  server = await serve(issuer.url);
});
afterAll(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const claimsOf = (sub: string, more: object = {}) => ({
  sub,
  workspace: server.demo.workspaceId,
  ...more,
});
const list = (key: string, of = server) => send(of, { path: pathsOf(of).conversations, key });
const create = async (key: string) => {
  const { text } = await send(server, { path: pathsOf(server).conversations, json: minimal, key });
  return JSON.parse(text) as { conversation: { sId: string }; message: { user: object } };
};
const admin = () => createRpcClient({ url: server.url, apiKey: server.demo.adminKey });

test("a first token creates its user, who sees own conversations and no others", async () => {
  const names = { given_name: "Ada", family_name: "Lovelace", preferred_username: "ada" };
  const ada = await issuer.sign(claimsOf("ada", names));
  const { conversation, message } = await create(ada);
  expect(message.user).toMatchObject({ username: "ada", fullName: "Ada Lovelace", email: "" });
  const again = await issuer.sign(claimsOf("ada"));
  expect((await list(again)).text).toContain(conversation.sId);
  const bob = await issuer.sign(claimsOf("bob"));
  expect((await list(bob)).text).toContain('"conversations":[]');
  const path = `${pathsOf(server).conversations}/${conversation.sId}`;
  expectError(await send(server, { path, key: bob }), "conversation_not_found");
  // The keys were read once.
  expect(issuer.received).toEqual(["/.well-known/openid-configuration", "/keys"]);
});

test("a verified address makes the member the user, and one that is not verified nobody", async () => {
  const { workspaceId } = server.demo;
  const email = "grace@example.com";
  const { member } = await admin().members.add.mutate({
    wId: workspaceId,
    email,
    firstName: "Grace",
  });
  const stranger = await issuer.sign(claimsOf("mallory", { email, email_verified: false }));
  expect((await create(stranger)).message.user).toMatchObject({ email: "" });
  const grace = await issuer.sign(claimsOf("grace", { email, email_verified: true }));
  expect((await create(grace)).message.user).toMatchObject({ sId: member.sId });
  // Another subject with the same address is another user.
  const second = await issuer.sign(claimsOf("grace-2", { email, email_verified: true }));
  expect((await create(second)).message.user).toMatchObject({ email: "" });
});

test("a token of Parley for the external id is one of the same user", async () => {
  const { workspaceId } = server.demo;
  const { conversation } = await create(await issuer.sign(claimsOf("joan")));
  const scopes = ["conversations:read" as const];
  const { secret } = await admin().userTokens.create.mutate({
    wId: workspaceId,
    externalId: "joan",
    scopes,
  });
  expect((await list(secret)).text).toContain(conversation.sId);
});

test("who was removed is refused, and so is everybody once the issuer's key is disabled", async () => {
  const { workspaceId } = server.demo;
  const eve = await issuer.sign(claimsOf("eve"));
  await create(eve);
  const { members } = await admin().members.list.query({ wId: workspaceId });
  const { sId: memberId } = members.find(({ username }) => username === "eve")!;
  await admin().members.remove.mutate({ wId: workspaceId, memberId });
  expectError(await list(eve), "invalid_api_key_error", { message: /removed/ });
  const { apiKeys } = await admin().apiKeys.list.query({ wId: workspaceId });
  const key = apiKeys.find(({ name }) => name.includes(issuer.url))!;
  await admin().apiKeys.update.mutate({ wId: workspaceId, keyId: key.sId, disabled: true });
  expectError(await list(await issuer.sign(claimsOf("ada"))), "invalid_api_key_error");
  await admin().apiKeys.update.mutate({ wId: workspaceId, keyId: key.sId, disabled: false });
  expect((await list(await issuer.sign(claimsOf("ada")))).status).toBe(200);
});

const past = () => Math.floor(Date.now() / 1000) - 60;

test.for([
  ["another audience", () => ({ aud: "others" })],
  ["another issuer", () => ({ iss: "https://elsewhere.example" })],
  ["an expiry that has passed", () => ({ exp: past() })],
  ["no expiry", () => ({ exp: undefined })],
  ["a time that has not come", () => ({ nbf: past() + 600 })],
  ["no subject", () => ({ sub: undefined })],
  ["a NUL in its subject", () => ({ sub: "ada\u0000" })],
  ["half a character in its subject", () => ({ sub: "ada\ud800" })],
  ["a NUL in the name of its workspace", () => ({ workspace: "AAAA\u0000AAAA" })],
  ["no workspace", () => ({ workspace: undefined })],
  ["an unknown workspace", () => ({ workspace: "AAAAAAAAAA" })],
] as const)("a token with %s is refused", async ([, change]) => {
  const token = await issuer.sign({ ...claimsOf("ada"), ...change() } as Record<string, string>);
  const answer = await list(token);
  expectError(answer, "invalid_api_key_error");
  expect(answer.text).not.toContain(token);
});

test("what a token says of its user is stored without what a database cannot hold", async () => {
  const claims = { given_name: "Ma\u0000ry", family_name: `${"x".repeat(254)}\u{1f600}` };
  const { message } = await create(await issuer.sign(claimsOf("mary", claims)));
  expect(message.user).toMatchObject({ firstName: "Mary" });
});

test("a token with another signature, or with none, is refused", async () => {
  const { privateKey } = await generateKeyPair("ES256");
  const forged = await issuer.sign(claimsOf("ada"), { key: privateKey });
  expectError(await list(forged), "invalid_api_key_error");
  const [, payload] = forged.split(".");
  const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  expectError(await list(`${none}.${payload}.`), "malformed_authorization_header_error");
  expectError(await list(`${none}.${payload}.AA`), "invalid_api_key_error");
  const shared = new TextEncoder().encode("x".repeat(32));
  const secret = await crypto.subtle.importKey(
    "raw",
    shared,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const symmetric = await issuer.sign(claimsOf("ada"), { key: secret, algorithm: "HS256" });
  expectError(await list(symmetric), "invalid_api_key_error");
});

test("a server without an issuer takes no such token", async () => {
  const own = await createPlace();
  const without = await openHostedServer(own);
  opened.unshift(without, own);
  const token = await issuer.sign(claimsOf("ada"));
  expectError(await list(token, without), "malformed_authorization_header_error");
});

test("a silent issuer refuses its own tokens in bounded time, and nobody else waits", async () => {
  await using silent = await startIssuer();
  silent.silent = true;
  const of = await serve(silent.url);
  const claims = { sub: "ada", workspace: of.demo.workspaceId };
  const token = await silent.sign(claims);
  const waiting = list(token, of);
  expect((await list(of.demo.userKey, of)).status).toBe(200);
  const startedAt = performance.now();
  expectError(await waiting, "service_unavailable", { message: /issuer/ });
  expect(performance.now() - startedAt).toBeLessThan(6000);
  // A token of another issuer does not even ask.
  const asked = silent.received.length;
  expectError(await list(await issuer.sign(claims), of), "invalid_api_key_error");
  expect(silent.received).toHaveLength(asked);
  silent.silent = false;
  expect((await list(token, of)).status).toBe(200);
});
