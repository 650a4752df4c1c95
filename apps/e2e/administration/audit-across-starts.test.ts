import { createRpcClient } from "parley-client";
import { apiKeys, auditEvents } from "@parley/db";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../faults/stored-state.ts";
import { pathsOf, send } from "../request.ts";
import { createPlace, openHostedServer, type Server, startServer } from "../server.ts";

const operatorOf = ({ url, demo }: Server) => createRpcClient({ url, apiKey: demo.operatorKey });

describe("a server", () => {
  test("refused credentials are in the audit log once the server has stopped", async () => {
    await using place = await createPlace();
    let workspaceId = "";
    let keyId = "";
    {
      await using server = await openHostedServer(place, {
        PARLEY_RATE_FAILED_AUTH_PER_MINUTE: "8",
      });
      ({ workspaceId } = server.demo);
      const { skills, conversations } = pathsOf(server);
      const operator = operatorOf(server);
      const named = { wId: workspaceId, name: "revoked", role: "user" } as const;
      const { apiKey, secret } = await operator.apiKeys.create.mutate(named);
      keyId = apiKey.sId;
      await operator.apiKeys.revoke.mutate({ wId: workspaceId, keyId });
      const ask = async (path: string, key: string | null, headers = {}) =>
        (await send(server, { path, key, headers })).status;
      const first = { "x-request-id": "first" };
      expect(await ask(skills, secret, first)).toBe(401);
      expect(await ask(conversations, secret)).toBe(401);
      expect(await ask(skills, null)).toBe(401);
      expect(await ask(skills, "nonsense")).toBe(401);
      expect(await ask("/rpc/apiKeys.list", "sk-guessed")).toBe(401);
      // A good key, but of another workspace; over RPC too, if the input names the workspace.
      expect(await ask("/api/v1/w/AAAAAAAAAA/skills", server.demo.adminKey)).toBe(401);
      const input = encodeURIComponent('{"json":{"wId":"AAAAAAAAAA"}}');
      expect(await ask(`/rpc/skills.list?input=${input}`, server.demo.adminKey)).toBe(401);
      // Past the limit they are refused with 429, and counted all the same.
      for (let n = 0; n < 20; n++) await ask(skills, null);
      expect(await ask(skills, null)).toBe(429);
    }
    await using server = await openHostedServer(place);
    const { auditEvents: refused } = await operatorOf(server).audit.list.query({
      action: "credentials.refused",
    });
    const shown = refused.map(
      ({ outcome, subjectId, route, count }) => `${count} ${outcome} ${subjectId} ${route}`,
    );
    const routes = ["GET /api/v1/w/:wId/skills", "GET /rpc/*"];
    const { adminKey } = server.demo;
    const own = await createRpcClient({ url: server.url, apiKey: adminKey }).audit.list.query({
      wId: workspaceId,
      action: "credentials.refused",
    });
    const adminId = own.auditEvents.find(({ subjectId }) => subjectId !== keyId)?.subjectId;
    expect(shown.toSorted()).toEqual([
      `1 invalid_api_key_error null ${routes[1]}`,
      `1 malformed_authorization_header_error null ${routes[0]}`,
      `2 invalid_api_key_error ${keyId} ${routes[0]}`,
      `2 workspace_auth_error ${adminId} ${routes[0]}`,
      `22 not_authenticated null ${routes[0]}`,
    ]);
    expect(adminId).toMatch(/^key_/);
    for (const event of refused) {
      const isKnown = event.subjectId !== null;
      expect(event).toMatchObject({
        actor: null,
        clientIp: "127.0.0.1",
        workspaceId: isKnown ? workspaceId : null,
      });
    }
    // Strangers are the operators' business, refused keys their workspace's.
    expect(own.auditEvents).toEqual(refused.filter((event) => event.workspaceId !== null));
    expect(refused.find(({ subjectId }) => subjectId === keyId)?.requestId).toBe("first");
    expect(JSON.stringify(refused)).not.toMatch(/sk-|nonsense|guessed/);
  });

  test("a start records the keys and the workspace that it makes, and nothing the next time", async () => {
    await using place = await createPlace();
    const byCommand = async (settings: Record<string, string> = {}) => {
      await using server = await openHostedServer(place, settings);
      const { auditEvents: events } = await operatorOf(server).audit.list.query({ actor: "cli" });
      const ofDemo = ({ workspaceId }: (typeof events)[number]) =>
        workspaceId === server.demo.workspaceId;
      return events.map((event) => [event.action, ofDemo(event), event.clientIp, event.outcome]);
    };
    const made = [
      ["operatorKeys.create", false, null, "succeeded"],
      ["apiKeys.create", true, null, "succeeded"],
      ["apiKeys.create", true, null, "succeeded"],
      ["workspaces.create", true, null, "succeeded"],
    ];
    expect(await byCommand()).toEqual(made);
    expect(await byCommand()).toEqual(made);
    const replaced = await byCommand({ PARLEY_USER_KEY: "sk-another" });
    expect(replaced).toEqual([
      ["apiKeys.create", true, null, "succeeded"],
      ["apiKeys.revoke", true, null, "succeeded"],
      ...made,
    ]);
  });

  test("a killed server leaves no mutation without its record, and no record without its mutation", async () => {
    await using place = await createPlace();
    // A process of its own, since it is killed.
    const server = await startServer(place, { PARLEY_RATE_READ_PER_MINUTE: "0" });
    const { workspaceId } = server.demo;
    const operator = operatorOf(server);
    const acknowledged = new Set<string>();
    let running = true;
    const create = async () => {
      while (running) {
        const key = { wId: workspaceId, name: "crash", role: "user" } as const;
        const { apiKey } = await operator.apiKeys.create.mutate(key);
        acknowledged.add(apiKey.sId);
      }
    };
    const clients = Promise.allSettled(Array.from({ length: 4 }, create));
    await expect
      .poll(() => acknowledged.size, { interval: 5, timeout: 30_000 })
      .toBeGreaterThan(20);
    await server.kill();
    running = false;
    await clients;
    const database = await openDatabase(place);
    const { db } = database;
    const keys = await db.select().from(apiKeys);
    const records = await db.select().from(auditEvents);
    await database.close();
    const ids = keys.filter(({ name }) => name === "crash").map(({ sid }) => sid);
    const recorded = records.filter(
      ({ action, actorId, outcome }) =>
        action === "apiKeys.create" && actorId !== "cli" && outcome === "succeeded",
    );
    expect(recorded.map(({ subjectId }) => subjectId ?? "").toSorted()).toEqual(ids.toSorted());
    expect([...acknowledged].filter((sid) => !ids.includes(sid))).toEqual([]);
  });
});
