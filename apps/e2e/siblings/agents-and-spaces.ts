import { endpoints } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answerIn, createCalls } from "./calls.ts";
import { agentList, spaceList } from "./sibling-shapes.ts";

// The interface: lists of agents and of spaces.

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
  const listSpaces = async (key?: string) => {
    const listed = { shape: spaceList, schema: endpoints["spaces.list"].output };
    return answerIn(await ask("spaces", key), listed).spaces;
  };

  test("each view lists the agents of its scopes, by name", async () => {
    const { workspaceId } = server().demo;
    const rpc = calls.rpc();
    const create = async (name: string, scope?: "hidden" | "visible") => {
      const { agentConfiguration } = await rpc.agents.create.mutate({
        workspaceId,
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
    await rpc.agents.archive.mutate({ workspaceId, agentId: archived.sId });
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
    const keys = await rpc.apiKeys.create.mutate({ workspaceId, name: "spaces", role: "user" });
    const { space: open } = await rpc.spaces.create.mutate({ workspaceId, name: "AA open" });
    const { space: closed } = await rpc.spaces.create.mutate({
      workspaceId,
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

  test("a key of role none lists nothing", async () => {
    const { workspaceId } = server().demo;
    const rpc = calls.rpc();
    const { secret } = await rpc.apiKeys.create.mutate({ workspaceId, name: "n", role: "none" });
    for (const tail of ["spaces", "assistant/agent_configurations", "assistant/conversations"]) {
      expectError(await ask(tail, secret), "app_auth_error");
    }
  });
}
