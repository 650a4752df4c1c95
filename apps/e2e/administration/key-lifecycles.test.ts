import { createRpcClient } from "parley-client";
import { beforeAll, describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { expectError, open, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// Keys are rotated, and operators' keys created and revoked, while they are in use.

const server = shareServer();
const calls = createCalls(server);
const { rpc } = calls;

const statusWith = async (key: string) =>
  (await send(server(), { path: pathsOf(server()).skills, key })).status;

const invalidRequest = (message: RegExp) => ({
  data: { type: "invalid_request_error" },
  message: expect.stringMatching(message) as string,
});

describe("the rotation of a key", () => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const create = async () => {
    const key = { ...ofDemo(), name: "rotated", role: "user" } as const;
    const { apiKey, secret } = await rpc().apiKeys.create.mutate(key);
    return { apiKey, secret, identity: { ...ofDemo(), keyId: apiKey.sId } };
  };

  test("gives the same key a new secret, and refuses the one before at once", async () => {
    const { apiKey, secret, identity } = await create();
    expect(await statusWith(secret)).toBe(200);
    const before = Date.now();
    const rotated = await rpc().apiKeys.rotate.mutate(identity);
    expect(rotated.apiKey).toEqual(apiKey);
    expect(rotated.previousSecretExpiresAt).toBeGreaterThanOrEqual(before);
    expect(rotated.previousSecretExpiresAt).toBeLessThanOrEqual(Date.now());
    expect(await statusWith(rotated.secret)).toBe(200);
    expect(await statusWith(secret)).toBe(401);
  });

  test("keeps what was created under the key", async () => {
    const { secret, identity } = await create();
    const json = { message: { content: "mine", mentions: [] } };
    const path = pathsOf(server()).conversations;
    const created = await send(server(), { path, key: secret, json });
    const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
    const rotated = await rpc().apiKeys.rotate.mutate(identity);
    expect((await calls.get(conversation.sId, rotated.secret)).sId).toBe(conversation.sId);
  });

  test("accepts the secret before for the overlap, and its streams end with it", async () => {
    const { secret, identity } = await create();
    const json = { message: { content: "followed", mentions: [] } };
    const conversations = pathsOf(server()).conversations;
    const created = await send(server(), { path: conversations, key: secret, json });
    const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
    const path = `${conversations.replace("/api/", "/api/sse/")}/${conversation.sId}/events`;
    const stream = await open(server(), { path, key: secret });
    const { previousSecretExpiresAt } = await rpc().apiKeys.rotate.mutate({
      ...identity,
      overlapSeconds: 1,
    });
    expect(await statusWith(secret)).toBe(200);
    const frames = await Array.fromAsync(readFrames(stream));
    expect(frames).toHaveLength(1);
    expect(Date.now()).toBeGreaterThanOrEqual(previousSecretExpiresAt);
    expect(await statusWith(secret)).toBe(401);
  });

  test("ends the older secret when it is done again, and revocation ends both", async () => {
    const { secret: first, identity } = await create();
    const overlapping = { ...identity, overlapSeconds: 600 };
    const { secret: second } = await rpc().apiKeys.rotate.mutate(overlapping);
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
    const { secret: third } = await rpc().apiKeys.rotate.mutate(overlapping);
    const statuses = () => Promise.all([first, second, third].map(statusWith));
    expect(await statuses()).toEqual([401, 200, 200]);
    await rpc().apiKeys.revoke.mutate(identity);
    expect(await statuses()).toEqual([401, 401, 401]);
    await expect(rpc().apiKeys.rotate.mutate(identity)).rejects.toMatchObject(
      invalidRequest(/keyId: the key is revoked: create another/),
    );
  });

  test("leaves one secret that works of many at once", async () => {
    const { identity } = await create();
    const rotations = Array.from({ length: 6 }, () => rpc().apiKeys.rotate.mutate(identity));
    const secrets = (await Promise.all(rotations)).map(({ secret }) => secret);
    const statuses = await Promise.all(secrets.map(statusWith));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401, 401]);
  });

  test("refuses an overlap of more than 7 days", async () => {
    const { identity } = await create();
    const overlapSeconds = 7 * 86_400 + 1;
    await expect(
      rpc().apiKeys.rotate.mutate({ ...identity, overlapSeconds }),
    ).rejects.toMatchObject(invalidRequest(/overlapSeconds/));
  });
});

describe("operator keys", () => {
  const operatorWith = (apiKey: string) => createRpcClient({ url: server().url, apiKey });
  const create = async (name: string, expiresAt?: number) => {
    const operator = operatorWith(server().demo.operatorKey);
    const { operatorKey, secret } = await operator.operatorKeys.create.mutate({ name, expiresAt });
    return { keyId: operatorKey.sId, secret, rpc: operatorWith(secret) };
  };
  const isOperator = async (key: string) =>
    (await send(server(), { path: "/api/admin/operator-keys?limit=1", key })).status === 200;
  /** Revokes the operator keys of the server but these. */
  const keepOnly = async (...kept: string[]) => {
    const operator = operatorWith(server().demo.operatorKey);
    const page = await operator.operatorKeys.list.query({ limit: 100 });
    for (const { sId: keyId, name, revokedAt } of page.operatorKeys) {
      if (revokedAt !== null || kept.includes(keyId) || name === "operator") continue;
      await operator.operatorKeys.revoke.mutate({ keyId });
    }
  };
  let demoKeyId = "";
  beforeAll(async () => {
    const operator = operatorWith(server().demo.operatorKey);
    const { operatorKeys } = await operator.operatorKeys.list.query({});
    demoKeyId = operatorKeys.find(({ name }) => name === "operator")?.sId ?? "";
  });

  test("are listed a page at a time, the newest first, without their secrets", async () => {
    const { rpc: ada, secret } = await create("Ada");
    const { keyId } = await create("Grace");
    const first = await ada.operatorKeys.list.query({ limit: 1 });
    expect(first.operatorKeys).toEqual([
      {
        sId: keyId,
        name: "Grace",
        createdAt: expect.any(Number),
        expiresAt: null,
        revokedAt: null,
      },
    ]);
    expect(first.hasMore).toBe(true);
    const names = [];
    for (let lastValue: string | null = ""; lastValue !== null;) {
      const page = await ada.operatorKeys.list.query({
        limit: 2,
        ...(lastValue !== "" && { lastValue }),
      });
      names.push(...page.operatorKeys.map(({ name }) => name));
      lastValue = page.hasMore ? page.lastValue : null;
    }
    expect(names.slice(0, 2)).toEqual(["Grace", "Ada"]);
    expect(names.at(-1)).toBe("operator");
    expect(JSON.stringify(first)).not.toContain(secret);
  });

  test("expire, and are refused at once when they are revoked or rotated", async () => {
    const short = await create("short", Date.now() + 300);
    await expect.poll(() => isOperator(short.secret), { interval: 20 }).toBe(false);
    const { keyId, secret, rpc: own } = await create("own");
    const { secret: next } = await own.operatorKeys.rotate.mutate({ keyId });
    expect([await isOperator(secret), await isOperator(next)]).toEqual([false, true]);
    await operatorWith(next).operatorKeys.revoke.mutate({ keyId });
    expect(await isOperator(next)).toBe(false);
  });

  test("the last one that can be used is ended only on purpose", async () => {
    // Keys that are expired do not count.
    const expired = await create("expired", Date.now() - 1);
    const { keyId, rpc: last } = await create("last");
    await keepOnly(keyId, expired.keyId);
    await last.operatorKeys.revoke.mutate({ keyId: demoKeyId });
    const refusal = invalidRequest(/evenIfLast: must be true to end the last usable operator key/);
    await expect(last.operatorKeys.revoke.mutate({ keyId })).rejects.toMatchObject(refusal);
    await expect(last.operatorKeys.rotate.mutate({ keyId })).rejects.toMatchObject(refusal);
    // What cannot be used anyway may go.
    await last.operatorKeys.revoke.mutate({ keyId: expired.keyId });
    // The secret before still works for a while.
    const overlapping = await last.operatorKeys.rotate.mutate({ keyId, overlapSeconds: 60 });
    const next = await operatorWith(overlapping.secret).operatorKeys.rotate.mutate({
      keyId,
      evenIfLast: true,
    });
    const path = `/api/admin/operator-keys/${keyId}`;
    const revoke = (query: string) =>
      send(server(), { method: "DELETE", path: path + query, key: next.secret });
    expectError(await revoke("?evenIfLast=false"), "invalid_request_error");
    expectError(await revoke("?evenIfLast=maybe"), "invalid_request_error");
    expect((await revoke("?evenIfLast=true")).status).toBe(200);
    expect(await isOperator(next.secret)).toBe(false);
  });
});

describe("two operators", () => {
  const shared = shareServer();

  test("who revoke each other's keys at the same time leave one of them", async () => {
    const { url, demo } = shared();
    const connect = (apiKey: string) => createRpcClient({ url, apiKey }).operatorKeys;
    const { operatorKeys } = await connect(demo.operatorKey).list.query({});
    let left = { keyId: operatorKeys[0]?.sId ?? "", secret: demo.operatorKey };
    expect(operatorKeys).toHaveLength(1);
    for (let round = 0; round < 10; round++) {
      const { operatorKey, secret } = await connect(left.secret).create.mutate({ name: "other" });
      const pair = [left, { keyId: operatorKey.sId, secret }] as const;
      const revoke = (by: 0 | 1) =>
        connect(pair[by].secret).revoke.mutate({ keyId: pair[1 - by]!.keyId });
      const outcomes = await Promise.allSettled([revoke(0), revoke(1)]);
      const winners = ([0, 1] as const).filter((one) => outcomes[one].status === "fulfilled");
      expect(winners).toHaveLength(1);
      left = pair[winners[0]!];
    }
  });
});
