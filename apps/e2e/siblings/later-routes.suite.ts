import { type EndpointName, endpoints, type JsonEndpoint } from "@parley/schema";
import { beforeAll, expect, test } from "vitest";
import { type Answer, expectError, jsonOf, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { toolServer } from "../administration/skill-mutations.ts";
import { createCalls } from "./calls.ts";

// The interface as of 2026-11: its roles, and the routes that came after client 1.2.8.

/** The roles that the clients of today can read; they fail on any other. */
const strictRoles = ["admin", "manager", "user", "none"];
const model = { providerId: "simulated", modelId: "simulated-1" };

/** The tests of the roles and the later routes. */
export function laterRoutesSuite(server: () => Server): void {
  const calls = createCalls(server);
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    for (const role of ["user", "builder", "manager", "admin"] as const) {
      const key = { wId: server().demo.workspaceId, name: role, role };
      const { secret, apiKey } = await calls.rpc().apiKeys.create.mutate(key);
      // Administration keeps its own word.
      expect(apiKey.role).toBe(role === "manager" ? "builder" : role);
      keys[role] = secret;
    }
  });
  const below = (tail: string, request: Omit<Request, "path"> = {}) =>
    send(server(), { path: `${pathsOf(server()).workspace}/${tail}`, ...request });
  const agentsPath = "assistant/agent_configurations";
  const parsed = (name: EndpointName, answer: Answer) =>
    jsonOf(answer, (endpoints[name] as JsonEndpoint).output).parsed as Record<string, unknown>;
  const createAgent = async (name: string, further: object = {}) => {
    const agent = { wId: server().demo.workspaceId, name, description: "d", model };
    const created = await calls.rpc().agents.create.mutate({ ...agent, ...further });
    return created.agentConfiguration.sId;
  };

  test.for([
    { key: "user", role: "user" },
    { key: "builder", role: "user" },
    { key: "manager", role: "user" },
    { key: "admin", role: "admin" },
  ])("the owner of a conversation shows the key of role $key as $role", async ({ key, role }) => {
    const json = { message: { content: "Hello", mentions: [] } };
    const created = await below("assistant/conversations", { json, key: keys[key]! });
    const { conversation } = JSON.parse(created.text) as {
      conversation: { sId: string; owner: { role: string } };
    };
    const read = async (tail: string) =>
      (await below(`assistant/conversations${tail}`, { key: keys[key]! })).text;
    const { conversation: again } = JSON.parse(await read(`/${conversation.sId}`));
    const { conversations } = JSON.parse(await read("")) as {
      conversations: (typeof conversation)[];
    };
    for (const { owner } of [conversation, again, conversations[0]!]) {
      expect(strictRoles).toContain(owner.role);
      expect(owner.role).toBe(role);
    }
  });

  test("admins edit every member of an agent by PATCH, and what is not there is named", async () => {
    const wId = server().demo.workspaceId;
    const sId = await createAgent("Clerk");
    const skill = { wId, name: "patched", agentFacingDescription: "x" };
    const { skill: granted } = await calls.rpc().skills.create.mutate(skill);
    const { tool } = await calls.rpc().tools.create.mutate({
      wId,
      spaceId: server().demo.spaceId,
      name: "ledger",
      description: "x",
      serverType: "remote",
      server: toolServer,
    });
    const ada = { wId, email: "ada.editor@example.com", firstName: "Ada" };
    const { member } = await calls.rpc().members.add.mutate(ada);
    const patch = (json: object, key = keys["admin"]!) =>
      below(`${agentsPath}/${sId}`, { method: "PATCH", json, key });
    const patched = parsed(
      "agents.patch",
      await patch({
        agent: {
          handle: "Teller",
          description: "Counts",
          scope: "hidden",
          avatar_url: "https://example.com/b.png",
          max_steps_per_run: 3,
          visualization_enabled: true,
        },
        instructions: "Count.",
        generation_settings: {
          model_id: "simulated-us",
          provider_id: "simulated",
          temperature: 0.2,
          reasoning_effort: "light",
        },
        tags: [{ name: "money", kind: "standard" }],
        editors: ["Ada.Editor@example.com", "nobody@example.com"],
        skills: [{ sId: granted.sId, name: "patched" }, { name: "nothing" }],
        toolset: ["ledger", "nowhere"].map((name) => ({
          name,
          description: "x",
          type: "MCP",
          configuration: { mcp_server_name: name },
        })),
        userFavorite: true,
      }),
    );
    expect(patched["agentConfiguration"]).toMatchObject({
      version: 1,
      name: "Teller",
      description: "Counts",
      scope: "hidden",
      pictureUrl: "https://example.com/b.png",
      maxStepsPerRun: 3,
      instructions: "Count.",
      model: { modelId: "simulated-us", temperature: 0.2 },
      userFavorite: true,
    });
    expect(patched["skippedActions"]).toEqual([
      { name: "nothing", reason: "The workspace has no such skill" },
      { name: "nowhere", reason: "The workspace has no such tool" },
    ]);
    expect((patched["warnings"] as { path: string }[]).map(({ path }) => path)).toEqual([
      "editors[1]",
      "agent.visualization_enabled",
    ]);
    const definition = () => calls.rpc().agents.getDefinition.query({ wId, agentId: sId });
    const kept = {
      skillIds: [granted.sId],
      toolIds: [tool.sId],
      reasoningEffort: "light",
      tags: [{ name: "money", kind: "standard" }],
      editorIds: [member.sId],
    };
    expect(await definition()).toMatchObject(kept);
    const partly = parsed("agents.patch", await patch({ agent: { description: "Adds" } }));
    expect(partly).toEqual({
      agentConfiguration: expect.objectContaining({ name: "Teller", description: "Adds" }),
    });
    expect(await definition()).toMatchObject(kept);
    const before = await definition();
    for (const key of [keys["user"]!, keys["builder"]!]) {
      expectError(await patch({ agent: { handle: "x" } }, key), "app_auth_error");
    }
    const unknown = { generation_settings: { model_id: "nobody" } };
    expectError(await patch(unknown), "model_disabled");
    const extreme = { generation_settings: { reasoning_effort: "extreme" } };
    const field = "generation_settings.reasoning_effort";
    expectError(await patch(extreme), "invalid_request_error", { field });
    expect(await definition()).toEqual(before);
    expectError(
      await below(`${agentsPath}/nobody`, { method: "PATCH", json: { instructions: "x" } }),
      "agent_not_found",
    );
  });

  test("a hidden agent is read by admins alone, and a light variant has no instructions", async () => {
    const sId = await createAgent("Hidden hermit", { scope: "hidden", instructions: "Hide." });
    const get = (key: string, query = "") => below(`${agentsPath}/${sId}${query}`, { key });
    for (const key of [keys["user"]!, keys["builder"]!]) {
      const refused = await get(key);
      expect([refused.status, JSON.parse(refused.text).error.type]).toEqual([
        403,
        "workspace_auth_error",
      ]);
      for (const list of ["", "?view=all", "/search?q=hermit"]) {
        expect((await below(`${agentsPath}${list}`, { key })).text).not.toContain(sId);
      }
    }
    const read = async (query: string) =>
      parsed("agents.get", await get(keys["admin"]!, query))["agentConfiguration"];
    expect(await read("")).toMatchObject({ instructions: "Hide." });
    expect(await read("?variant=full")).toMatchObject({ instructions: "Hide." });
    expect(await read("?variant=light")).toMatchObject({ instructions: null, scope: "hidden" });
    const other = await get(keys["admin"]!, "?variant=heavy");
    expectError(other, "invalid_request_error", { field: "variant" });
    expect((await below(`${agentsPath}/search?q=hermit`)).text).toContain(sId);
  });

  test("an agent is archived by DELETE, once", async () => {
    const sId = await createAgent("Short-lived");
    const remove = (key = keys["admin"]!, id = sId) =>
      below(`${agentsPath}/${id}`, { method: "DELETE", key });
    expectError(await remove(keys["builder"]), "app_auth_error");
    expect(parsed("agents.delete", await remove())).toEqual({ success: true });
    expectError(await remove(), "invalid_request_error", { field: "sId" });
    expectError(await remove(keys["admin"], "nobody"), "agent_not_found");
    const { agentConfiguration } = parsed("agents.get", await below(`${agentsPath}/${sId}`));
    expect(agentConfiguration).toMatchObject({ status: "archived" });
  });

  test("a skill is archived by DELETE", async () => {
    const wId = server().demo.workspaceId;
    const { skill } = await calls
      .rpc()
      .skills.create.mutate({ wId, name: "gone", agentFacingDescription: "x" });
    const remove = (key: string, id: string = skill.sId) =>
      below(`skills/${id}`, { method: "DELETE", key });
    expectError(await remove(keys["user"]!), "app_auth_error");
    expectError(await remove(keys["admin"]!, "skl_nobody"), "skill_not_found");
    const first = await remove(keys["builder"]!);
    for (const answer of [first, await remove(keys["builder"]!)]) {
      expect(parsed("skills.delete", answer)).toEqual({ success: true });
    }
    const read = await below(`skills/${skill.sId}?bypassEditorVisibility=true`);
    expect(JSON.parse(read.text)).toMatchObject({ skill: { status: "archived" } });
  });

  test("a client's server is taken away before it expires", async () => {
    const registered = await below("mcp/register", { json: { serverName: "mine" } });
    const { serverId, ...rest } = parsed("clientServers.register", registered);
    expect(rest).toEqual({ success: true, expiresAt: expect.any(String) });
    const deregister = (key?: string) =>
      below("mcp/deregister", { json: { serverId }, ...(key !== undefined && { key }) });
    expectError(await deregister(keys["user"]), "mcp_server_not_found");
    expect(parsed("clientServers.deregister", await deregister())).toEqual({ success: true });
    expectError(await deregister(), "mcp_server_not_found");
    expectError(await below("mcp/heartbeat", { json: { serverId } }), "mcp_server_not_found");
  });

  test("admins read the models and the languages", async () => {
    const { models } = parsed("models.listUsable", await below("models")) as {
      models: { modelId: string }[];
    };
    expect(models.find(({ modelId }) => modelId === "simulated-1")).toEqual({
      providerId: "simulated",
      modelId: "simulated-1",
      displayName: "simulated-1",
      supportedReasoningEfforts: ["none", "light", "medium", "high"],
      defaultReasoningEffort: "none",
    });
    const locale = (json: object, key = keys["admin"]!) => below("members/locale", { json, key });
    for (const json of [{}, { email: "ada@example.com" }]) {
      expect(parsed("members.readLocale", await locale(json))).toEqual({
        localisationEnabled: false,
        userLocale: null,
        workspaceLocale: "en",
      });
    }
    expectError(await locale({ email: 1 }), "invalid_request_error", { field: "email" });
    expectError(await locale({}, keys["builder"]), "app_auth_error");
    expectError(await below("models", { key: keys["builder"]! }), "app_auth_error");
  });

  test("what clients send beside the specification is not a reason for a warning", async () => {
    const context = { username: "ada", timezone: "UTC", origin: "zendesk" };
    const tags = { excludedRetrievalTags: ["draft"] };
    const message = { content: "Hello", mentions: [], context: { ...context, ...tags } };
    const contentFragment = { title: "t", content: "x", contentType: "text/plain", context };
    const json = { message, contentFragment, visibility: "unlisted" };
    const created = JSON.parse((await below("assistant/conversations", { json })).text);
    expect(created).not.toHaveProperty("warnings");
    const shown = { username: "ada", timezone: "UTC" };
    expect(created.message.context).toEqual({ ...shown, ...tags, origin: "api" });
    expect(created.conversation.content[0][0].context).toEqual(shown);
    const path = `assistant/conversations/${created.conversation.sId}/messages`;
    expect(JSON.parse((await below(path, { json: message })).text)).not.toHaveProperty("warnings");
  });
}
