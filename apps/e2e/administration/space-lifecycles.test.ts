import { createRpcClient } from "parley-client";
import type { Skill } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { expectError, open, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createClosedSpace } from "./closed-space.ts";

// Admins look after all spaces of the workspace, without reading what is in those that are closed to them.

describe("spaces", () => {
  const server = shareServer();
  const { rpc } = createCalls(server);
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const createSpace = async (more: object = {}) =>
    (await rpc().spaces.create.mutate({ ...ofDemo(), name: "Space", ...more })).space.sId;

  test("are read and listed with their keys, also those that are closed to the admin", async () => {
    const key = { ...ofDemo(), name: "inside", role: "user" } as const;
    const { apiKey } = await rpc().apiKeys.create.mutate(key);
    const keyIds = [apiKey.sId];
    const spaceId = await createSpace({ isRestricted: true, keyIds });
    const { spaces: reached } = await rpc().spaces.list.query(ofDemo());
    expect(reached.map(({ sId }) => sId)).not.toContain(spaceId);
    const one = await rpc().spaces.get.query({ ...ofDemo(), spaceId });
    expect(one).toMatchObject({ space: { sId: spaceId, isRestricted: true }, keyIds });
    const all = [];
    let lastValue: string | null = null;
    do {
      const page: Awaited<ReturnType<ReturnType<typeof rpc>["spaces"]["listAll"]["query"]>> =
        await rpc().spaces.listAll.query({ ...ofDemo(), limit: 1, lastValue });
      all.push(...page.spaces);
      lastValue = page.hasMore ? page.lastValue : null;
    } while (lastValue !== null);
    expect(all.find(({ sId }) => sId === spaceId)).toEqual({ ...one.space, keyIds });
    expect(all.map(({ sId }) => sId)).toEqual(
      expect.arrayContaining(reached.map(({ sId }) => sId)),
    );
  });

  test("that hold something are deleted with it only on purpose", async () => {
    const { things, insiderKey, read } = await createClosedSpace(server);
    const { spaceId, cId, skillId, dataSourceViewId, toolId } = things;
    const path = `${pathsOf(server()).conversations.replace("/api/", "/api/sse/")}/${cId}/events`;
    const stream = await open(server(), { path, key: insiderKey });
    const remove = (query = "") =>
      send(server(), {
        method: "DELETE",
        path: `/api/admin/workspaces/${server().demo.workspaceId}/spaces/${spaceId}${query}`,
      });
    const before = await read();
    const refused = await remove();
    expectError(refused, "space_not_empty");
    expect(refused.text).toContain("1 conversations, 1 data source views, 1 tools");
    expectError(await remove("?withContent=false"), "space_not_empty");
    expect(await read()).toBe(before);

    expect((await remove("?withContent=true")).status).toBe(200);
    // Its streams end.
    await Array.fromAsync(readFrames(stream));
    const insider = createRpcClient({ url: server().url, apiKey: insiderKey });
    const gone = send(server(), {
      path: `${pathsOf(server()).conversations}/${cId}`,
      key: insiderKey,
    });
    expectError(await gone, "conversation_not_found");
    const { dataSourceViews } = await insider.dataSourceViews.list.query(ofDemo());
    expect(dataSourceViews.map(({ sId }) => sId)).not.toContain(dataSourceViewId);
    const operator = createRpcClient({ url: server().url, apiKey: server().demo.operatorKey });
    const { tools } = await operator.tools.list.query(ofDemo());
    expect(tools.map(({ tool }) => tool.sId)).not.toContain(toolId);
    const error = { data: { type: "space_not_found" } };
    for (const client of [insider, operator]) {
      await expect(client.spaces.get.query({ ...ofDemo(), spaceId })).rejects.toMatchObject(error);
      await expect(
        client.spaces.update.mutate({ ...ofDemo(), spaceId, isRestricted: false }),
      ).rejects.toMatchObject(error);
      await expect(
        client.dataSourceViews.create.mutate({ ...ofDemo(), spaceId, name: "x" }),
      ).rejects.toMatchObject(error);
    }
    const json = { message: { content: "x", mentions: [] }, spaceId };
    const into = await send(server(), {
      path: pathsOf(server()).conversations,
      key: insiderKey,
      json,
    });
    expectError(into, "space_not_found");
    const keys = await rpc().apiKeys.list.query(ofDemo());
    expect(JSON.stringify(keys)).not.toContain(spaceId);
    // What still names it stays closed.
    const skills = await send(server(), {
      path: `${pathsOf(server()).skills}?bypassEditorVisibility=true`,
      key: insiderKey,
    });
    const listed = (JSON.parse(skills.text) as { skills: Skill[] }).skills;
    expect(listed.map(({ sId }) => sId)).not.toContain(skillId);
    // Again changes nothing.
    expect((await remove()).status).toBe(200);
  });

  test("that are empty are deleted, but not the one of the whole workspace", async () => {
    const spaceId = await createSpace();
    await rpc().spaces.delete.mutate({ ...ofDemo(), spaceId });
    const { spaces } = await rpc().spaces.list.query(ofDemo());
    expect(spaces.map(({ sId }) => sId)).not.toContain(spaceId);
    const global = spaces.find(({ kind }) => kind === "global")?.sId ?? "";
    await expect(
      rpc().spaces.delete.mutate({ ...ofDemo(), spaceId: global, withContent: true }),
    ).rejects.toMatchObject({
      data: { type: "invalid_request_error" },
      message:
        "Invalid path parameters: spaceId: the space of the whole workspace cannot be deleted",
    });
  });
});
