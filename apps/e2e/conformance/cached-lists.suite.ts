import { request as httpRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends a request as it is: `fetch` adds headers of its own and decompresses. */
async function sendRaw(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on("error", reject).end();
  });
}

/** The tests of how a kept list is sent. */
export function cachedListsSuite(server: () => Server): void {
  const list = async (
    headers: Readonly<Record<string, string>> = {},
    { key = server().demo.adminKey, query = "", method = "GET" } = {},
  ) => {
    const url = `${server().url}${pathsOf(server()).skills}${query}`;
    return sendRaw(url, { authorization: `Bearer ${key}`, ...headers }, method);
  };
  const headersOf = ({ headers }: RawAnswer) => {
    const { etag, vary, "cache-control": control, "content-encoding": encoding } = headers;
    return { etag, vary, control, encoding };
  };

  test("may be cached privately, under its tag", async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(headersOf(answer)).toEqual({
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      vary: "Authorization, Accept-Encoding",
      control: "private, no-cache",
      encoding: undefined,
    });
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Number(answer.headers["content-length"])).toBe(answer.body.length);
    const again = await list();
    expect(again.body.equals(answer.body)).toBe(true);
    expect(headersOf(again)).toEqual(headersOf(answer));
  });

  const named: [(tag: string) => string, number][] = [
    [(tag) => tag, 304],
    [(tag) => tag.slice(2), 304],
    [(tag) => `"a,b", W/"x" ,${tag}`, 304],
    [() => "*", 304],
    [() => '"other"', 200],
    [(tag) => tag.replaceAll('"', ""), 200],
    [(tag) => tag.replace('W/"', 'W/"x'), 200],
    [() => "", 200],
  ];

  test("answers 304 without a body if an If-None-Match names the tag", async () => {
    const fresh = await list();
    const tag = String(fresh.headers["etag"]);
    for (const [header, status] of named) {
      for (const method of ["GET", "HEAD"]) {
        const headers = { "if-none-match": header(tag), "accept-encoding": "gzip" };
        const answer = await list(headers, { method });
        expect(`${header(tag)} ${answer.status}`).toBe(`${header(tag)} ${status}`);
        expect(headersOf(answer)).toMatchObject({ etag: tag, control: "private, no-cache" });
        expect(answer.headers["ratelimit"]).toMatch(/^"read";r=/);
        expect(answer.headers["x-request-id"]).toBeDefined();
        expect(answer.body.length > 0).toBe(status === 200 && method === "GET");
        expect(answer.headers["content-type"] !== undefined).toBe(status === 200);
      }
    }
  });

  test("gives `fetch` its 304, which sends a Cache-Control of its own", async () => {
    const path = pathsOf(server()).skills;
    const etag = (await send(server(), { path })).headers.get("etag") ?? "";
    const answer = await send(server(), { path, headers: { "if-none-match": etag } });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 304, text: "" });
  });

  const accepted: Readonly<Record<string, boolean>> = {
    gzip: true,
    "gzip, deflate, br": true,
    "*": true,
    "identity;q=0.5, gzip;q=1.0": true,
    "GZIP;q=0.1": true,
    "gzip;q=0": false,
    "gzip;q=0, *": false,
    "gzip;q=0.5, identity": false,
    br: false,
    "identity;q=0": false,
    "": false,
  };

  test.for(Object.entries(accepted))(
    "Accept-Encoding `%s` compresses: %s",
    async ([header, is]) => {
      const plain = await list();
      const answer = await list({ "accept-encoding": header });
      expect(headersOf(answer)).toEqual({ ...headersOf(plain), encoding: is ? "gzip" : undefined });
      expect(Number(answer.headers["content-length"])).toBe(answer.body.length);
      const body = is ? gunzipSync(answer.body) : answer.body;
      expect(body.equals(plain.body)).toBe(true);
      const head = await list({ "accept-encoding": header }, { method: "HEAD" });
      expect(head.headers["content-length"]).toBe(answer.headers["content-length"]);
      expect(head.body).toHaveLength(0);
    },
  );

  test("a short list is sent as it is", async () => {
    const answer = await list({ "accept-encoding": "gzip" }, { query: "?availability=editors" });
    expect(answer.body.toString()).toBe('{"skills":[]}');
    expect(answer.headers["content-encoding"]).toBeUndefined();
  });

  test("keys with different access never get each other's lists, in either order", async () => {
    const { adminKey, userKey } = server().demo;
    const ask = async (key: string) => list({}, { key });
    const [admin, user] = [await ask(adminKey), await ask(userKey)];
    const canWrite = ({ body }: RawAnswer) => {
      const parsed = JSON.parse(body.toString()) as { skills: { canWrite: boolean }[] };
      return parsed.skills.map((skill) => skill.canWrite);
    };
    expect(canWrite(admin)).toEqual([true, true]);
    expect(canWrite(user)).toEqual([false, false]);
    expect(admin.headers["etag"]).not.toBe(user.headers["etag"]);
    for (const answer of await Promise.all([adminKey, userKey, adminKey, userKey].map(ask))) {
      expect([admin.body, user.body].some((body) => body.equals(answer.body))).toBe(true);
    }
    const tag = String(admin.headers["etag"]);
    expect((await list({ "if-none-match": tag }, { key: userKey })).status).toBe(200);
    // An admin's cached answer is not given to a caller without the role.
    const query = "?bypassEditorVisibility=true";
    expect((await list({}, { query })).status).toBe(200);
    expect((await list({ "if-none-match": "*" }, { query, key: userKey })).status).toBe(403);
    expect((await list({ "if-none-match": "*" }, { key: "sk-nobody" })).status).toBe(401);
    expect((await list({ "if-none-match": "*" }, { query: "?status=x" })).status).toBe(400);
  });

  test("builders who edit different skills never get each other's lists, in either order", async () => {
    const { operatorKey, workspaceId } = server().demo;
    const operator = createRpcClient({ url: server().url, apiKey: operatorKey });
    const createBuilder = async (name: string) => {
      const key = { wId: workspaceId, name, role: "builder" as const };
      const { secret } = await operator.apiKeys.create.mutate(key);
      const { conversations } = pathsOf(server());
      const made = await send(server(), {
        path: conversations,
        key: secret,
        json: { message: { content: "Who am I?", mentions: [] } },
      });
      const { conversation } = JSON.parse(made.text) as {
        conversation: { content: { user: { sId: string } }[][] };
      };
      return { secret, userId: conversation.content[0]?.[0]?.user.sId ?? "" };
    };
    const builders = [await createBuilder("one"), await createBuilder("other")];
    const skillIds: string[] = [];
    for (const [index, { userId }] of builders.entries()) {
      const { skill } = await operator.skills.create.mutate({
        wId: workspaceId,
        name: `Edited by ${index}`,
        agentFacingDescription: "x",
        availability: "workspace_users",
        editorIds: [userId],
      });
      skillIds.push(skill.sId);
    }
    const mayChange = async (secret: string) => {
      const { body } = await list({}, { key: secret });
      const { skills } = JSON.parse(body.toString()) as {
        skills: { sId: string; canWrite: boolean }[];
      };
      return skillIds.map((id) => skills.find(({ sId }) => sId === id)?.canWrite);
    };
    const secrets = builders.map(({ secret }) => secret);
    const asked = [...secrets, ...secrets, ...secrets.toReversed()];
    const own = (secret: string) => secrets.map((other) => other === secret);
    for (const secret of asked) expect(await mayChange(secret)).toEqual(own(secret));
    expect(await Promise.all(asked.map(mayChange))).toEqual(asked.map(own));
    // A change of the editors counts like any other.
    const [skillId = ""] = skillIds;
    const editorIds = builders.slice(1).map(({ userId }) => userId);
    await operator.skills.update.mutate({ wId: workspaceId, skillId, version: 0, editorIds });
    expect(await mayChange(secrets[0] ?? "")).toEqual([false, false]);
    expect(await mayChange(secrets[1] ?? "")).toEqual([true, true]);
    for (const id of skillIds) {
      const version = id === skillId ? 1 : 0;
      await operator.skills.archive.mutate({ wId: workspaceId, skillId: id, version });
    }
  });

  test("a change is in the next answer", async () => {
    const { operatorKey, workspaceId, spaceId } = server().demo;
    const operator = createRpcClient({ url: server().url, apiKey: operatorKey });
    const before = await list();
    const tag = String(before.headers["etag"]);
    // The list does not show the name of a space: what is made again has the same tag.
    await operator.spaces.update.mutate({ wId: workspaceId, spaceId, name: "Renamed" });
    expect((await list({ "if-none-match": tag })).status).toBe(304);
    const { secret } = await operator.apiKeys.create.mutate({
      wId: workspaceId,
      name: "rising",
      role: "user",
    });
    expect((await list({}, { key: secret })).headers["etag"]).not.toBe(tag);
    const { apiKeys } = await operator.apiKeys.list.query({ wId: workspaceId });
    const keyId = apiKeys.find(({ name }) => name === "rising")?.sId ?? "";
    await operator.apiKeys.update.mutate({ wId: workspaceId, keyId, role: "builder" });
    expect((await list({}, { key: secret })).headers["etag"]).toBe(tag);
  });
}
