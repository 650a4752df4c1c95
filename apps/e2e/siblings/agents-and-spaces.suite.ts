import { endpoints } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answerIn, createCalls } from "./calls.ts";
import { agentList, oneAgent, spaceList } from "./sibling-shapes.ts";

// The interface: agents and spaces.

const simulated = { providerId: "simulated", modelId: "simulated-1" };

/** The tests of the lists of agents and spaces. */
export function agentsAndSpacesSuite(server: () => Server): void {
  const calls = createCalls(server);
  const ask = (tail: string, key?: string) =>
    send(server(), {
      path: `${pathsOf(server()).workspace}/${tail}`,
      ...(key !== undefined && { key }),
    });
  const listAgents = async (query: string, key?: string) => {
    const answer = await ask(`assistant/agent_configurations${query}`, key);
    const listed = { shape: agentList, schema: endpoints["agents.list"].output };
    return answerIn(answer, listed).agentConfigurations;
  };
  const listSpaces = async (key?: string, query = "") => {
    const listed = { shape: spaceList, schema: endpoints["spaces.list"].output };
    return answerIn(await ask(`spaces${query}`, key), listed).spaces;
  };

  test("each view lists the agents of its scopes, by name", async () => {
    const { workspaceId } = server().demo;
    const rpc = calls.rpc();
    const create = async (name: string, scope?: "hidden" | "visible") => {
      const { agentConfiguration } = await rpc.agents.create.mutate({
        wId: workspaceId,
        name,
        description: "d",
        instructions: "Be brief.",
        pictureUrl: "https://example.com/a.png",
        model: { providerId: "simulated", modelId: "simulated-1", temperature: 0.5 },
        maxStepsPerRun: 3,
        ...(scope && { scope }),
      });
      expect(agentConfiguration.sId).toMatch(/^[A-Za-z0-9]{10}$/);
      return agentConfiguration;
    };
    const visible = await create("zz visible");
    const hidden = await create("zz hidden", "hidden");
    const archived = await create("zz archived", "visible");
    await rpc.agents.archive.mutate({ wId: workspaceId, agentId: archived.sId });
    const global = ["faulty", "helper", "slowpoke"];
    const idsOf = async (query: string) =>
      (await listAgents(query)).map(({ sId, name }) => (name.startsWith("zz") ? sId : name));
    const ofTests = async (query: string) =>
      (await idsOf(query)).filter(
        (id) => global.includes(id) || id === visible.sId || id === hidden.sId,
      );
    expect(await ofTests("")).toEqual([...global, hidden.sId, visible.sId]);
    expect(await ofTests("?view=all")).toEqual([...global, hidden.sId, visible.sId]);
    expect(await ofTests("?view=list")).toEqual([...global, visible.sId]);
    expect(await ofTests("?view=workspace")).toEqual([visible.sId]);
    expect(await ofTests("?view=published")).toEqual([visible.sId]);
    expect(await idsOf("?view=global")).toEqual(global);
    expect(await idsOf("?view=favorites")).toEqual([]);
    expect(await idsOf("")).not.toContain(archived.sId);
    const listed = await listAgents("?view=workspace");
    expect(listed.find(({ sId }) => sId === visible.sId)).toEqual(visible);
    expect(visible).toMatchObject({
      version: 0,
      versionAuthorId: null,
      instructions: "Be brief.",
      pictureUrl: "https://example.com/a.png",
      status: "active",
      scope: "visible",
      model: { providerId: "simulated", modelId: "simulated-1", temperature: 0.5 },
      maxStepsPerRun: 3,
      templateId: null,
    });
  });

  test("built-in agents have a slug for an id", async () => {
    const agents = await listAgents("?view=global", server().demo.userKey);
    expect(agents.map(({ sId, name, scope }) => [sId, name, scope])).toEqual([
      ["faulty", "faulty", "global"],
      ["helper", "helper", "global"],
      ["slowpoke", "slowpoke", "global"],
    ]);
  });

  test("an agent is read by its id, also once it is archived", async () => {
    const { workspaceId, userKey } = server().demo;
    const rpc = calls.rpc();
    const draft = { name: "A", description: "", model: simulated };
    const { agentConfiguration } = await rpc.agents.create.mutate({ wId: workspaceId, ...draft });
    const { sId: agentId } = agentConfiguration;
    await rpc.agents.update.mutate({ wId: workspaceId, agentId, name: "B" });
    await rpc.agents.archive.mutate({ wId: workspaceId, agentId });
    const answer = await ask(`assistant/agent_configurations/${agentId}`, userKey);
    const read = answerIn(answer, { shape: oneAgent, schema: endpoints["agents.get"].output });
    expect(read.agentConfiguration).toMatchObject({ sId: agentId, name: "B", status: "archived" });
    expectError(await ask("assistant/agent_configurations/nothing"), "agent_not_found");
    const other = await calls.operator().workspaces.create.mutate({ name: "O" });
    const foreign = `/api/v1/w/${other.workspace.sId}/assistant/agent_configurations/${agentId}`;
    const asked = await send(server(), { path: foreign, key: other.adminKey });
    expectError(asked, "agent_not_found");
  });

  test("a search finds active agents by a part of their names, in any case", async () => {
    const { workspaceId } = server().demo;
    const rpc = calls.rpc();
    for (const name of ["Quaint 100%", "quaint_other", "Gone quaint"]) {
      const draft = { wId: workspaceId, name, description: "", model: simulated };
      const { agentConfiguration } = await rpc.agents.create.mutate(draft);
      const { sId: agentId } = agentConfiguration;
      if (name.startsWith("Gone")) await rpc.agents.archive.mutate({ wId: workspaceId, agentId });
    }
    const found = async (q: string) => {
      const answer = await ask(
        `assistant/agent_configurations/search?${new URLSearchParams({ q })}`,
      );
      const listed = { shape: agentList, schema: endpoints["agents.search"].output };
      return answerIn(answer, listed).agentConfigurations.map(({ name }) => name);
    };
    expect((await found("QUAINT")).toSorted()).toEqual(["Quaint 100%", "quaint_other"]);
    expect(await found("100%")).toEqual(["Quaint 100%"]);
    expect(await found("t_o")).toEqual(["quaint_other"]);
    expect(await found("%")).toEqual(["Quaint 100%"]);
    const nothing = await ask("assistant/agent_configurations/search");
    expectError(nothing, "invalid_request_error", { field: "q" });
  });

  test("an agent without a picture has one that anybody can load", async () => {
    const [agent] = await listAgents("?view=global");
    const { pathname } = new URL(agent!.pictureUrl);
    const picture = await send(server(), { path: pathname, key: null });
    expect(picture.status).toBe(200);
    expect(picture.text).toMatch(/^<svg [^]*<\/svg>\n$/);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      "content-type": "image/svg+xml",
      "cache-control": "public, max-age=31536000, immutable",
      // Or no page of another origin could show it.
      "cross-origin-resource-policy": "cross-origin",
    });
    const { message } = await calls.create("Hi");
    const image = new URL(message.user.image).pathname;
    expect(image).not.toBe(pathname);
    expect((await send(server(), { path: image, key: null })).status).toBe(200);
    const posted = await send(server(), { method: "POST", path: image, key: null });
    expectError(posted, "method_not_supported_error");
  });

  test.for(["view=mine", "view=", "view=All", "view=all&view=list"])(
    "the query `%s` is refused",
    async (query) => {
      const answer = await ask(`assistant/agent_configurations?${query}`);
      const message = "Invalid query parameters: ";
      expectError(answer, "invalid_request_error", { message, field: "view" });
    },
  );

  test("agents of another workspace are not listed", async () => {
    const { workspace, adminKey } = await calls.operator().workspaces.create.mutate({ name: "O" });
    const answer = await send(server(), {
      path: `/api/v1/w/${workspace.sId}/assistant/agent_configurations`,
      key: adminKey,
    });
    expect(JSON.parse(answer.text)).toEqual({ agentConfigurations: [] });
  });

  test("the spaces that the key reaches are listed by name", async () => {
    const { workspaceId, spaceId, userKey } = server().demo;
    const rpc = calls.rpc();
    const keys = await rpc.apiKeys.create.mutate({
      wId: workspaceId,
      name: "spaces",
      role: "user",
    });
    const { space: open } = await rpc.spaces.create.mutate({ wId: workspaceId, name: "AA open" });
    const { space: closed } = await rpc.spaces.create.mutate({
      wId: workspaceId,
      name: "AA closed",
      isRestricted: true,
      keyIds: [keys.apiKey.sId],
    });
    const spaces = await listSpaces(keys.secret);
    expect(spaces.slice(0, 2)).toEqual([closed, open]);
    expect(open).toMatchObject({ isRestricted: false, kind: "regular" });
    expect(open.sId).toMatch(/^vlt_/);
    expect(spaces.find(({ sId }) => sId === spaceId)).toMatchObject({ kind: "global" });
    for (const key of [userKey, server().demo.adminKey]) {
      const ids = (await listSpaces(key)).map(({ sId }) => sId);
      expect(ids).toContain(open.sId);
      expect(ids).not.toContain(closed.sId);
    }
  });

  test.for([
    { query: "?kinds=global", kinds: ["global"] },
    { query: "?kinds=regular%2Cglobal", kinds: ["global", "regular"] },
    { query: "?kinds=regular&kinds=global", kinds: ["global", "regular"] },
    { query: "?kinds[]=regular", kinds: ["regular"] },
    { query: "?kinds=system", kinds: [] },
  ])("`$query` lists the spaces of these kinds", async ({ query, kinds }) => {
    const { workspaceId } = server().demo;
    await calls.rpc().spaces.create.mutate({ wId: workspaceId, name: "Of a kind" });
    const spaces = await listSpaces(undefined, query);
    expect([...new Set(spaces.map(({ kind }) => kind))].toSorted()).toEqual(kinds);
  });

  test("a key of role none lists nothing", async () => {
    const { workspaceId } = server().demo;
    const rpc = calls.rpc();
    const { secret } = await rpc.apiKeys.create.mutate({
      wId: workspaceId,
      name: "n",
      role: "none",
    });
    for (const tail of ["spaces", "assistant/agent_configurations", "assistant/conversations"]) {
      expectError(await ask(tail, secret), "app_auth_error");
    }
  });
}
