import path from "node:path";
import { startPublished } from "@parley/mcp/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conversationFrame, messageFrame } from "../siblings/sibling-shapes.ts";
import { answersOf, createCalls, readUntil } from "../siblings/calls.ts";
import { shareServer } from "../server.ts";
import { startClientServer, usingServers } from "./client-server.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";

// The servers of the registry, as they are published: they describe their tools in draft-07.
describe("published servers", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const calls = createCalls(server);
  let published: Awaited<ReturnType<typeof startPublished>>;
  let folder: string;
  let servers: typeof published.servers;
  beforeAll(async () => {
    published = await startPublished();
    ({ folder, servers } = published);
  });
  afterAll(async () => {
    await published.close();
  });

  const register = async (
    name: keyof typeof servers,
    more: { readonly defaultStake?: "never_ask" } = {},
  ) => {
    const { workspaceId: wId, spaceId } = server().demo;
    const { url } = servers[name];
    return calls.rpc().tools.register.mutate({ wId, spaceId, url, name, ...more });
  };
  /** An agent that calls a tool, and repeats what it was answered. */
  const createCaller = async (
    toolId: string,
    call: { readonly name: string; readonly params: Record<string, unknown> },
  ): Promise<string> => {
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: server().demo.workspaceId,
      name: `Caller of ${call.name}`,
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      toolIds: [toolId],
      script: { steps: [{ toolCalls: [call] }, { text: "It says: {{result}}" }] },
    });
    return agentConfiguration.sId;
  };

  it.each([
    // The thirteenth runs as a task only.
    [
      "everything",
      12,
      /^Left out: simulate-research-query: .*task/,
      "echo",
      () => ({ message: "Grüße" }),
      "Echo: Grüße",
    ],
    [
      "files",
      14,
      /^$/,
      "read_text_file",
      () => ({ path: path.join(folder, "hello.txt") }),
      "Hello from a file",
    ],
    ["memory", 9, /^$/, "read_graph", () => ({}), '"entities": []'],
  ] as const)(
    "of %s is registered, refreshed, approved and called",
    async (name, count, fault, toolName, paramsOf, expected) => {
      const { tool, connection } = await register(name);
      expect(tool.server.tools).toHaveLength(count);
      expect(tool.server.tools[0]?.inputSchema).toMatchObject({ $schema: draft7 });
      expect(connection.fault ?? "").toMatch(fault);
      const wId = server().demo.workspaceId;
      const refreshed = await calls.rpc().tools.refresh.mutate({ wId, toolId: tool.sId });
      expect(refreshed).toMatchObject({ version: 0, connection: { fault: connection.fault } });
      expect(refreshed.tool.server.tools).toHaveLength(count);

      const agentId = await createCaller(tool.sId, {
        name: `${name}__${toolName}`,
        params: paramsOf(),
      });
      const { conversation } = await calls.create("Go on", [agentId]);
      const cId = conversation.sId;
      const tail = `/${cId}/messages/${conversation.content.at(-1)!.at(-1)!.sId}`;
      const events = await calls.stream(`${tail}/events`);
      const asks = (event: { data: { type: string } }) =>
        event.data.type === "tool_approve_execution";
      const asked = (await readUntil(events, messageFrame, asks)).at(-1)!.data;
      const json = { actionId: asked["actionId"], approved: "approved" };
      expect((await calls.call("POST", `${tail}/validate-action`, { json })).status).toBe(200);
      const ends = (event: { data: { type: string } }) => event.data.type === "agent_message_done";
      await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, ends);
      const [answer] = answersOf(await calls.get(cId));
      expect(answer).toMatchObject({
        status: "succeeded",
        actions: [{ toolName, status: "succeeded" }],
      });
      expect(answer?.content).toContain(expected);
    },
  );

  it("have arguments checked by the dialect that they name", async () => {
    const { tool } = await register("everything", { defaultStake: "never_ask" });
    const call = { name: "everything__get-sum", params: { a: "one", b: 2 } };
    const agentId = await createCaller(tool.sId, call);
    const { conversation } = await calls.create("Go on", [agentId], { blocking: true });
    const [answer] = answersOf(await calls.get(conversation.sId));
    expect(answer?.content).toContain("input.a: must be number");
  });

  it("may be in clients of users, and lose only tools of unknown dialects", async () => {
    const schema = (dialect: string) => ({
      $schema: dialect,
      type: "object",
      properties: { words: { type: "array", items: [{ type: "string" }] } },
    });
    const tools = [
      { name: "find", inputSchema: schema(draft7) },
      { name: "old", inputSchema: schema("http://json-schema.org/draft-03/schema#") },
      { name: "slow", inputSchema: schema(draft7), execution: { taskSupport: "required" } },
    ];
    await using client = await startClientServer(server, {
      tools,
      onCall: () => ({ content: [{ type: "text", text: "Found" }] }),
    });
    const say = { text: "It says: {{result}}. " };
    const finder = await calls.createAgent("Finder", {
      steps: [
        { toolCalls: [{ name: "editor__find", params: { words: ["shoes"] } }] },
        { ...say, toolCalls: [{ name: "editor__old", params: {} }] },
        { ...say, toolCalls: [{ name: "editor__slow", params: {} }] },
        say,
      ],
      tokenDelayMs: 0,
    });
    const message = {
      content: "Find",
      mentions: [{ configurationId: finder }],
      ...usingServers(client.serverId),
    };
    const json = { message, skipToolsValidation: true, blocking: true };
    const created = await calls.call("POST", "", { json });
    const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
    const [answer] = answersOf(await calls.get(conversation.sId));
    expect(answer?.content).toMatch(
      /Found.*No tool named editor__old.*No tool named editor__slow/s,
    );
    expect(client.calls()).toHaveLength(1);
    const [warning] = client.warnings;
    expect(warning?.message).toMatch(/old: inputSchema\.\$schema: .*draft-03.*slow: .*task/s);
  });
});
