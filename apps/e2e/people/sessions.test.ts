import { once } from "node:events";
import http from "node:http";
import { OpenedSession, SignInCode, Success } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, jsonOf, open, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { readFrames } from "../frames.ts";

// The sessions with which pages in browsers act: a cookie that stands for a key.

const server = shareServer();
const calls = createCalls(server);

/** The cookie that an answer sets, as a browser sends it back. */
const cookieOf = ({ headers }: Answer): string => headers.getSetCookie()[0]?.split(";")[0] ?? "";
const fromPage = { "x-parley-session": "1" };

/** Signs in with a credential. */
const signIn = async (key: string, headers: Request["headers"] = {}) => {
  const answer = await send(server(), { method: "POST", path: "/api/session", key, headers });
  return { answer, cookie: cookieOf(answer) };
};
const ask = (cookie: string, request: Partial<Request> = {}) =>
  send(server(), {
    path: pathsOf(server()).skills,
    key: null,
    ...request,
    headers: { cookie, ...fromPage, ...request.headers },
  });
const session = (cookie: string, method = "GET") => ask(cookie, { path: "/api/session", method });

test("a key signs a page in, which acts as the key until it signs out", async () => {
  const { demo } = server();
  const { answer, cookie } = await signIn(demo.adminKey);
  const { parsed } = jsonOf(answer, OpenedSession);
  expect(parsed.session).toMatchObject({
    workspace: { sId: demo.workspaceId },
    role: "admin",
    scopes: null,
    userName: null,
  });
  const [header = ""] = answer.headers.getSetCookie();
  expect(header).toMatch(/^parley_session_\d+=ss-\w{40}; .*HttpOnly; SameSite=Strict$/);
  expect(header).toContain("; Path=/;");
  expect(answer.text).not.toContain("ss-");
  expect((await ask(cookie)).status).toBe(200);
  expect(jsonOf(await session(cookie), OpenedSession).parsed).toEqual(parsed);

  const ended = await session(cookie, "DELETE");
  jsonOf(ended, Success);
  expect(ended.headers.getSetCookie()[0]).toMatch(/=; .*Expires=Thu, 01 Jan 1970/);
  expect((await ask(cookie)).status).toBe(401);
  expect((await session(cookie)).text).toContain("sign in again");
});

test("a browser has up to five sessions, and a request names the one that it is of", async () => {
  const { demo } = server();
  const first = await signIn(demo.adminKey);
  const fifth = await signIn(demo.userKey, { "x-parley-session": "5" });
  expect(fifth.cookie).toMatch(/^parley_session_\d+-5=/);
  const roleAt = async (place: string) => {
    const headers = { "x-parley-session": place };
    const cookies = `${first.cookie}; ${fifth.cookie}`;
    const answer = await ask(cookies, { path: "/api/session", headers });
    return answer.status === 200
      ? jsonOf(answer, OpenedSession).parsed.session.role
      : answer.status;
  };
  expect(await roleAt("1")).toBe("admin");
  expect(await roleAt("5")).toBe("user");
  expect(await roleAt("2")).toBe(401);
  for (const place of ["6", "0", "5-", ""]) expect(await roleAt(place)).toBe(403);
  const refused = await signIn(demo.userKey, { "x-parley-session": "6" });
  expect(refused.answer.text).toContain("x-parley-session must be a number from 1 to 5");
  expect(refused.cookie).toBe("");
});

test("an operator and a user's token sign in, each with what it may do", async () => {
  const { demo } = server();
  const operator = await signIn(demo.operatorKey);
  expect(jsonOf(operator.answer, OpenedSession).parsed.session).toMatchObject({
    workspace: null,
    role: "operator",
  });
  const workspaces = { path: "/api/admin/workspaces" };
  expect((await ask(operator.cookie, workspaces)).status).toBe(200);
  const scopes = ["skills:read"] as const;
  const token = { wId: demo.workspaceId, externalId: "grace", scopes: [...scopes] };
  const { secret, user: grace } = await calls.rpc().userTokens.create.mutate(token);
  const user = await signIn(secret);
  expect(jsonOf(user.answer, OpenedSession).parsed.session).toMatchObject({
    role: "user",
    scopes,
  });
  expect((await ask(user.cookie)).status).toBe(200);
  expect((await ask(user.cookie, { path: pathsOf(server()).conversations })).status).toBe(403);
  await calls.rpc().userTokens.revoke.mutate({ wId: demo.workspaceId, userId: grace.sId });
  expect((await ask(user.cookie)).status).toBe(401);
});

/** The status for a page that was opened at a host; `fetch` sets the header itself. */
async function statusAt(host: string, cookie: string): Promise<number | undefined> {
  const request = http.get(`${server().url}/api/session`, {
    headers: { host, cookie, ...fromPage },
  });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  response.resume();
  return response.statusCode;
}

test("pages of other origins, and names that lead here, use no session", async () => {
  const { demo, url } = server();
  const { cookie } = await signIn(demo.adminKey);
  const { port } = new URL(url);
  const headersOf = (headers: Record<string, string>) => ask(cookie, { headers });
  expect((await headersOf({ origin: url })).status).toBe(200);
  expect((await headersOf({ origin: "https://evil.example" })).status).toBe(403);
  expect((await headersOf({ origin: `http://127.0.0.1:${Number(port) + 1}` })).status).toBe(403);
  expect((await headersOf({ origin: "null" })).status).toBe(403);
  expect(await statusAt(`127.0.0.1:${port}`, cookie)).toBe(200);
  expect(await statusAt(`evil.example:${port}`, cookie)).toBe(403);
  const bare = { path: pathsOf(server()).skills, key: null, headers: { cookie } };
  expect((await send(server(), bare)).status).toBe(401);
  expect((await signIn(demo.adminKey, { origin: "https://evil.example" })).cookie).toBe("");
});

test("a revoked key ends its sessions, and a rotated one those of its old secret", async () => {
  const { workspaceId: wId } = server().demo;
  const named = { wId, name: "page", role: "user" } as const;
  const { apiKey, secret } = await calls.rpc().apiKeys.create.mutate(named);
  const before = await signIn(secret);
  const rotated = await calls.rpc().apiKeys.rotate.mutate({ wId, keyId: apiKey.sId });
  expect((await ask(before.cookie)).status).toBe(401);
  const after = await signIn(rotated.secret);
  expect((await ask(after.cookie)).status).toBe(200);
  await calls.rpc().apiKeys.revoke.mutate({ wId, keyId: apiKey.sId });
  expect((await ask(after.cookie)).status).toBe(401);
});

test("a code opens one session, and is no other credential", async () => {
  const { demo, url } = server();
  const path = "/api/session/codes";
  const create = async () =>
    jsonOf(await send(server(), { method: "POST", path }), SignInCode).parsed;
  const { code, url: link } = await create();
  expect(link).toBe(`${url}/#code=${code}`);
  expect((await send(server(), { path: pathsOf(server()).skills, key: code })).status).toBe(401);
  const { answer, cookie } = await signIn(code);
  expect(jsonOf(answer, OpenedSession).parsed.session).toMatchObject({
    workspace: { sId: demo.workspaceId },
  });
  expect((await ask(cookie)).status).toBe(200);
  expect((await signIn(code)).answer.status).toBe(401);
  // A page that is signed in may create one for another browser.
  const again = await ask(cookie, { method: "POST", path });
  expect((await signIn(jsonOf(again, SignInCode).parsed.code)).answer.status).toBe(200);
});

test("a session follows streams and calls the typed RPC", async () => {
  const { cookie } = await signIn(server().demo.adminKey);
  const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
  const { conversations } = pathsOf(server());
  const path = `${conversations.replace("/api/", "/api/sse/")}/${conversation.sId}/events`;
  const abort = new AbortController();
  const headers = { cookie, ...fromPage };
  const stream = await open(server(), { path, key: null, headers, signal: abort.signal });
  expect(stream.status).toBe(200);
  for await (const frame of readFrames(stream)) {
    expect(frame.data).toHaveProperty("eventId");
    break;
  }
  abort.abort();
  const input = JSON.stringify({ json: { wId: server().demo.workspaceId } });
  const rpc = `/rpc/apiKeys.list?input=${encodeURIComponent(input)}`;
  expect((await ask(cookie, { path: rpc })).text).toContain('"apiKeys"');
});

test("a key has a hundred sessions at most: the oldest make room", async () => {
  const { workspaceId: wId } = server().demo;
  const named = { wId, name: "busy", role: "user" } as const;
  const { secret } = await calls.rpc().apiKeys.create.mutate(named);
  const first = await signIn(secret);
  for (let nth = 0; nth < 99; nth++) await signIn(secret);
  expect((await ask(first.cookie)).status).toBe(200);
  await signIn(secret);
  // Another process would notice within seconds; this one looks again once the key changes.
  await expect.poll(async () => (await ask(first.cookie)).status, { timeout: 10_000 }).toBe(401);
});
