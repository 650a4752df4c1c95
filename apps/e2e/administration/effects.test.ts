import type { SpecifiedConversation } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { expectError, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// What is administered over /rpc is in force over REST with the next request.

describe("a server", () => {
  const server = shareServer();
  const calls = createCalls(server);
  const { create, rpc } = calls;
  const createWith = (key: string, further: object = {}, message: object = {}) =>
    send(server(), {
      path: pathsOf(server()).conversations,
      key,
      json: { message: { content: "x", mentions: [], ...message }, ...further },
    });
  const createKey = (role: "none" | "user" | "builder" | "admin" = "user") =>
    rpc().apiKeys.create.mutate({ wId: server().demo.workspaceId, name: "effect", role });

  describe("keys", () => {
    const listWith = (key: string) => send(server(), { path: pathsOf(server()).skills, key });

    test("a key works at once, with the role that it now has", async () => {
      const { workspaceId } = server().demo;
      const { apiKey, secret } = await createKey();
      const identity = { wId: workspaceId, keyId: apiKey.sId };
      expect((await listWith(secret)).status).toBe(200);
      await rpc().apiKeys.update.mutate({ ...identity, role: "none" });
      expectError(await listWith(secret), "app_auth_error");
      await rpc().apiKeys.update.mutate({ ...identity, role: "admin" });
      const created = await createWith(secret);
      expect(created.text).toContain('"role":"admin"');
      const bypass = { path: `${pathsOf(server()).skills}?bypassEditorVisibility=true` };
      expect((await send(server(), { ...bypass, key: secret })).status).toBe(200);
    });

    test("a key that is disabled, expired or revoked is refused at once", async () => {
      const { workspaceId } = server().demo;
      const { apiKey, secret } = await createKey();
      const identity = { wId: workspaceId, keyId: apiKey.sId };
      const change = async (further: object) =>
        rpc().apiKeys.update.mutate({ ...identity, ...further });
      await change({ disabled: true });
      expectError(await listWith(secret), "invalid_api_key_error");
      await change({ disabled: false });
      expect((await listWith(secret)).status).toBe(200);
      await change({ expiresAt: Date.now() - 1 });
      expectError(await listWith(secret), "invalid_api_key_error");
      await change({ expiresAt: null });
      expect((await listWith(secret)).status).toBe(200);
      await rpc().apiKeys.revoke.mutate(identity);
      expectError(await listWith(secret), "invalid_api_key_error");
      await change({ disabled: false, expiresAt: null });
      expectError(await listWith(secret), "invalid_api_key_error");
    });

    test("a key that expires stops by itself", async () => {
      const { workspaceId } = server().demo;
      const { apiKey, secret } = await createKey();
      const expiresAt = Date.now() + 300;
      await rpc().apiKeys.update.mutate({ wId: workspaceId, keyId: apiKey.sId, expiresAt });
      const status = async () => (await listWith(secret)).status;
      await expect.poll(status, { interval: 20, timeout: 2000 }).toBe(401);
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    });
  });

  test("the owner has the name that the workspace now has", async () => {
    const { workspace, adminKey } = await calls
      .operator()
      .workspaces.create.mutate({ name: "Old" });
    const path = `/api/v1/w/${workspace.sId}/assistant/conversations`;
    const json = { message: { content: "x", mentions: [] } };
    const nameOf = async () =>
      (
        JSON.parse((await send(server(), { path, key: adminKey, json })).text) as {
          conversation: SpecifiedConversation;
        }
      ).conversation.owner.name;
    expect(await nameOf()).toBe("Old");
    await calls.operator().workspaces.update.mutate({ wId: workspace.sId, name: "New é" });
    expect(await nameOf()).toBe("New é");
  });

  test("an agent answers as soon as it is there, as it now is, and until it is archived", async () => {
    const { workspaceId } = server().demo;
    const script = (text: string) => ({ steps: [{ text }], tokenDelayMs: 0 });
    const agentId = await calls.createAgent("effect", script("one"));
    const answer = async () => {
      const { conversation, warnings } = await create("x", [agentId], { blocking: true });
      const message = conversation.content[1]?.[0];
      return warnings ? "nobody" : message?.type === "agent_message" && message.content;
    };
    expect(await answer()).toBe("one");
    await rpc().agents.update.mutate({
      wId: workspaceId,
      agentId,
      script: script("two"),
      name: "new",
    });
    expect(await answer()).toBe("two");
    const list = await send(server(), {
      path: `${pathsOf(server()).workspace}/assistant/agent_configurations`,
    });
    expect(list.text).toContain('"name":"new"');
    await rpc().agents.archive.mutate({ wId: workspaceId, agentId });
    expect(await answer()).toBe("nobody");
  });

  test("a space is reached by the keys that it now is given to", async () => {
    const { workspaceId } = server().demo;
    const mine = await createKey();
    const other = await createKey();
    const name = "Effect";
    const closed = { wId: workspaceId, name, isRestricted: true, keyIds: [mine.apiKey.sId] };
    const { space } = await rpc().spaces.create.mutate(closed);
    const into = { spaceId: space.sId };
    expect((await createWith(mine.secret, into)).status).toBe(200);
    expectError(await createWith(other.secret, into), "space_not_found", { status: 400 });
    const update = (further: object) =>
      rpc().spaces.update.mutate({ wId: workspaceId, spaceId: space.sId, ...further });
    await update({ keyIds: [other.apiKey.sId] });
    expectError(await createWith(mine.secret, into), "space_not_found", { status: 400 });
    expect((await createWith(other.secret, into)).status).toBe(200);
    await update({ isRestricted: false });
    expect((await createWith(mine.secret, into)).status).toBe(200);
    await update({ isRestricted: true, keyIds: [] });
    await rpc().apiKeys.update.mutate({
      wId: workspaceId,
      keyId: mine.apiKey.sId,
      spaceIds: [space.sId],
    });
    expect((await createWith(mine.secret, into)).status).toBe(200);
    expectError(await createWith(other.secret, into), "space_not_found", { status: 400 });
  });

  test("a member is the author of what bears the member's address", async () => {
    const { workspaceId } = server().demo;
    const author = async () => {
      const context = { username: "grace", timezone: "UTC", email: "GRACE@example.com" };
      const message = { content: "x", mentions: [], context };
      const created = await calls.call("POST", "", { json: { message } });
      const { user } = (JSON.parse(created.text) as Awaited<ReturnType<typeof create>>).message;
      return user;
    };
    const service = await author();
    expect(service).toMatchObject({ email: "", username: "API User", provider: "" });
    const { member } = await rpc().members.add.mutate({
      wId: workspaceId,
      email: "grace@example.com",
      firstName: "Grace",
      lastName: "Hopper",
    });
    expect(await author()).toEqual(member);
    expect(member).toMatchObject({ fullName: "Grace Hopper", username: "grace" });
    await rpc().members.remove.mutate({ wId: workspaceId, memberId: member.sId });
    expect(await author()).toEqual(service);
  });

  test("a deleted workspace and its keys are gone", async () => {
    const operator = calls.operator();
    const { workspace, adminKey } = await operator.workspaces.create.mutate({ name: "Short" });
    const workspaceId = workspace.sId;
    const path = `/api/v1/w/${workspaceId}/assistant/conversations`;
    const json = { message: { content: "x", mentions: mentionOf("nobody") } };
    expect((await send(server(), { path, key: adminKey, json })).status).toBe(200);
    await operator.workspaces.delete.mutate({ wId: workspaceId });
    expectError(await send(server(), { path, key: adminKey }), "invalid_api_key_error");
    await expect(operator.workspaces.get.query({ wId: workspaceId })).rejects.toMatchObject({
      data: { type: "workspace_not_found" },
    });
    expectError(await send(server(), { path }), "workspace_auth_error");
  });
});
