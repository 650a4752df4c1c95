import { createRpcClient } from "parley-client";
import type { CreatedConversation } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { expectError, open, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// Operators suspend and resume workspaces, and see what they hold.

describe("workspaces", () => {
  const server = shareServer();
  const { operator } = createCalls(server);
  const create = async (name: string) => {
    const { workspace, adminKey } = await operator().workspaces.create.mutate({ name });
    const wId = workspace.sId;
    const rpc = createRpcClient({ url: server().url, apiKey: adminKey });
    const path = `/api/v1/w/${wId}/assistant/conversations`;
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      name: "a",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      script: { steps: [{ text: "one two three four five six seven" }], tokenDelayMs: 100 },
    });
    const ask = async () => {
      const mentions = mentionOf(agentConfiguration.sId);
      const json = { message: { content: "x", mentions } };
      const answer = await send(server(), { path, key: adminKey, json });
      return (JSON.parse(answer.text) as CreatedConversation).conversation.sId;
    };
    return { wId, adminKey, rpc, path, ask };
  };

  test("refuse every credential with one error while they are suspended, and end their streams", async () => {
    const { wId, adminKey, rpc, path, ask } = await create("Suspended");
    const token = { wId, externalId: "ada", scopes: ["conversations:read" as const] };
    const { secret: userToken } = await rpc.userTokens.create.mutate(token);
    const cId = await ask();
    const events = `${path.replace("/api/", "/api/sse/")}/${cId}/events`;
    const stream = await open(server(), { path: events, key: adminKey });
    expect((await send(server(), { path, key: userToken })).status).toBe(200);

    const { suspendedAt } = await operator().workspaces.suspend.mutate({ wId });
    expect(suspendedAt).toBeGreaterThan(0);
    await Array.fromAsync(readFrames(stream));
    for (const key of [adminKey, userToken]) {
      const refused = await send(server(), { path, key });
      expectError(refused, "workspace_suspended", { status: 403 });
      expect(refused.text).toContain("The workspace is suspended: ask an operator of the server");
      expectError(await send(server(), { path: events, key }), "workspace_suspended");
    }
    await expect(rpc.agents.listAll.query({ wId })).rejects.toMatchObject({
      data: { type: "workspace_suspended", httpStatus: 403 },
    });
    // Others continue.
    const { demo } = server();
    const other = { path: `/api/v1/w/${demo.workspaceId}/skills`, key: demo.adminKey };
    expect((await send(server(), other)).status).toBe(200);

    // Operators still read it, and suspending again changes nothing.
    expect(await operator().workspaces.get.query({ wId })).toMatchObject({ suspendedAt });
    const { workspaces } = await operator().workspaces.list.query({ limit: 100 });
    expect(workspaces.find(({ sId }) => sId === wId)).toMatchObject({ suspendedAt });
    expect(await operator().workspaces.suspend.mutate({ wId })).toMatchObject({ suspendedAt });

    expect(await operator().workspaces.resume.mutate({ wId })).toMatchObject({ suspendedAt: null });
    expect((await send(server(), { path, key: adminKey })).status).toBe(200);
    expect((await send(server(), { path, key: userToken })).status).toBe(200);
  });

  test("finish what was accepted before they were suspended", async () => {
    const { wId, rpc, ask } = await create("Accepted");
    const cId = await ask();
    await operator().workspaces.suspend.mutate({ wId });
    const settled = async () => {
      const { runsWaiting, runsRunning } = await operator().workspaces.usage.query({ wId });
      return runsWaiting + runsRunning;
    };
    await expect.poll(settled, { interval: 50 }).toBe(0);
    await operator().workspaces.resume.mutate({ wId });
    const { conversation } = await rpc.conversations.get.query({ wId, cId });
    expect(conversation.content[1]?.[0]).toMatchObject({
      status: "succeeded",
      content: "one two three four five six seven",
    });
  });

  test("are deleted while they are suspended", async () => {
    const { wId, adminKey, path } = await create("Deleted");
    await operator().workspaces.suspend.mutate({ wId });
    await operator().workspaces.delete.mutate({ wId });
    expectError(await send(server(), { path, key: adminKey }), "invalid_api_key_error");
    const { workspaces } = await operator().workspaces.list.query({ limit: 100 });
    expect(workspaces.map(({ sId }) => sId)).not.toContain(wId);
  });

  test("are listed a page at a time, newest first", async () => {
    const { wId: older } = await create("Older");
    const { wId: newer } = await create("Newer");
    const first = await operator().workspaces.list.query({ limit: 1 });
    expect(first).toMatchObject({ workspaces: [{ sId: newer, name: "Newer" }], hasMore: true });
    const lastValue = first.lastValue ?? "";
    const second = await operator().workspaces.list.query({ limit: 1, lastValue });
    expect(second.workspaces).toMatchObject([{ sId: older }]);
  });

  test("count what they hold, for their admins too", async () => {
    const { wId, rpc, ask } = await create("Counted");
    const before = await rpc.workspaces.usage.query({ wId });
    expect(before).toEqual({
      conversations: 0,
      messages: 0,
      invocations: 0,
      files: 0,
      fileBytes: 0,
      storedBytes: expect.any(Number),
      storedBytesLimit: 20 * 2 ** 30,
      members: 0,
      keys: 1,
      agents: 1,
      skills: 0,
      functions: 0,
      runsWaiting: 0,
      runsRunning: 0,
    });
    await ask();
    const working = await rpc.workspaces.usage.query({ wId });
    expect(working.runsWaiting + working.runsRunning).toBe(1);
    await ask();
    const file = { contentType: "text/plain", fileName: "x", fileSize: 5, useCase: "conversation" };
    await rpc.files.create.mutate({ wId, ...file });
    await rpc.members.add.mutate({ wId, email: "ada@example.com", firstName: "Ada" });
    const { apiKey } = await rpc.apiKeys.create.mutate({ wId, name: "x", role: "user" });
    await rpc.skills.create.mutate({ wId, name: "s", agentFacingDescription: "x" });
    const counted = { conversations: 2, messages: 4, files: 1, fileBytes: 5, members: 1, keys: 2 };
    expect(await operator().workspaces.usage.query({ wId })).toMatchObject({
      ...counted,
      skills: 1,
    });
    await rpc.apiKeys.revoke.mutate({ wId, keyId: apiKey.sId });
    expect(await rpc.workspaces.usage.query({ wId })).toMatchObject({ ...counted, keys: 1 });
  });
});
