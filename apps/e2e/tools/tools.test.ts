import { describe, expect, it } from "vitest";
import { expectError, send } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { answersOf, createCalls, readUntil } from "../siblings/calls.ts";
import { conversationFrame, messageFrame } from "../siblings/sibling-shapes.ts";
import { createShopAgents } from "./shop-agent.ts";
import { shareShop } from "./shop-server.ts";

describe("tools of remote servers", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const calls = createCalls(server);
  const agents = createShopAgents(server);
  const shop = shareShop();

  /** Asks an agent that calls a tool, and waits for its answer. */
  const ask = async (name: string, options: Parameters<typeof agents.register>[1] = {}) => {
    const { tool } = await agents.register(shop(), { defaultStake: "never_ask", ...options });
    const agentId = await agents.createAgent(tool.sId, `shop__${name}`);
    const { conversation } = await calls.create("Go on", [agentId], { blocking: true });
    const answer = answersOf(await calls.get(conversation.sId))[0]!;
    return { tool, answer, agentId, cId: conversation.sId };
  };

  it("are registered with what the server offers", async () => {
    const { tool, connection } = await agents.register(shop());
    expect(tool).toMatchObject({
      name: "shop",
      description: "Sells shoes",
      serverType: "remote",
      server: { name: "shop", version: "1.2.3" },
    });
    expect(tool.server.tools.map(({ name }) => name)).toEqual([
      "find",
      "buy",
      "wait",
      "fail",
      "picture",
    ]);
    expect(connection).toMatchObject({ url: shop().url, defaultStake: "high", fault: null });
  });

  it("are called by agents with the headers of the tool, and answer the model", async () => {
    const before = shop().calls.length;
    const { tool, answer } = await ask("find", { headers: { "X-Shop-Key": "open-sesame" } });
    expect(answer).toMatchObject({
      status: "succeeded",
      content: "Let me see. It says: Found shoes",
    });
    expect(answer.actions).toMatchObject([
      {
        mcpServerId: tool.sId,
        toolName: "find",
        functionCallName: "shop__find",
        status: "succeeded",
        params: { word: "shoes" },
        output: [{ type: "text", text: "Found shoes" }],
        generatedFiles: [],
      },
    ]);
    expect(shop().calls.slice(before)).toEqual([{ name: "find", arguments: { word: "shoes" } }]);
    expect(shop().key).toBe("open-sesame");
    expect(JSON.stringify([tool, answer])).not.toContain("open-sesame");
    expect(server().output.stderr).not.toContain("open-sesame");
  });

  it("give their errors to the model, which continues", async () => {
    const { answer } = await ask("fail");
    expect(answer.content).toBe("Let me see. It says: Out of shoes");
    expect(answer.actions).toMatchObject([{ status: "errored" }]);
  });

  it("give files, which the readers of the conversation can read", async () => {
    const { answer } = await ask("picture");
    const [action] = answer.actions;
    expect(action).toMatchObject({
      output: [{ type: "resource_link", mimeType: "image/png" }, { type: "resource" }],
      generatedFiles: [{ contentType: "image/png", title: "file-1.png", hidden: false }],
    });
    const { workspaceId } = server().demo;
    const path = `/api/v1/w/${workspaceId}/files/${action!.generatedFiles[0]!.fileId}`;
    const file = await send(server(), { path });
    expect(file.headers.get("content-type")).toBe("image/png");
    expect((await send(server(), { path, key: server().demo.userKey })).status).toBe(404);
  });

  it("give each file a path of its own in its conversation, at which its bytes are", async () => {
    const { agentId, cId } = await ask("picture");
    const again = {
      content: "Again",
      mentions: [{ configurationId: agentId }, { configurationId: agentId }],
      blocking: true,
    };
    await calls.post(cId, again);
    const files = answersOf(await calls.get(cId)).flatMap(({ actions }) =>
      actions.flatMap(({ generatedFiles }) => generatedFiles),
    );
    expect(files.map(({ filePath }) => filePath)).toEqual([
      "conversation/file-1.png",
      "conversation/file-1-2.png",
    ]);
    const root = `/api/v1/w/${server().demo.workspaceId}`;
    const at = `${root}/assistant/conversations/${cId}/files`;
    for (const { fileId, filePath } of files) {
      const byId = await send(server(), { path: `${root}/files/${fileId}` });
      const encoded = encodeURIComponent(filePath);
      const name = filePath.slice("conversation/".length);
      for (const tail of [
        `?filePath=${encoded}`,
        `?filePath=${name}`,
        `/${filePath}`,
        `/${encoded}`,
      ]) {
        const file = await send(server(), { path: at + tail });
        expect([tail, file.status]).toEqual([tail, 200]);
        expect(file.headers.get("etag")).toBe(byId.headers.get("etag"));
        expect(file.headers.get("content-type")).toBe("image/png");
        expect(file.text).toBe(byId.text);
      }
    }
    const refused = async (tail: string, key?: string) => {
      const { status, text } = await send(server(), { path: at + tail, ...(key && { key }) });
      return [status, JSON.parse(text).error.type];
    };
    for (const path of ["conversation//x.png", "conversation/..%2Fx.png", "%2Fetc", "a%5Cb"]) {
      expect(await refused(`/${path}`)).toEqual([400, "invalid_request_error"]);
      expect(await refused(`?filePath=${path}`)).toEqual([400, "invalid_request_error"]);
    }
    for (const tail of ["/project/x.png", "/file-1.png", "?filePath=project/x.png"]) {
      expect(await refused(tail)).toEqual([403, "app_auth_error"]);
    }
    expect(await refused("/conversation/other.png")).toEqual([404, "file_not_found"]);
    expect(await refused("?filePath=other.png")).toEqual([404, "file_not_found"]);
    const { userKey } = server().demo;
    const unknown = [404, "conversation_not_found"];
    expect(await refused(`/${files[0]!.filePath}`, userKey)).toEqual(unknown);
    expect(await refused(`?filePath=${files[0]!.filePath}`, userKey)).toEqual(unknown);
  });

  it("wait for approval by their stakes, and are called with the parameters of the decision", async () => {
    const { tool } = await agents.register(shop());
    const agentId = await agents.createAgent(tool.sId, "shop__buy");
    const { conversation } = await calls.create("Buy", [agentId]);
    const cId = conversation.sId;
    const mId = conversation.content.at(-1)!.at(-1)!.sId;
    const tail = `/${cId}/messages/${mId}`;
    const seen = await readUntil(
      await calls.stream(`${tail}/events`),
      messageFrame,
      ({ data }) => data.type === "tool_approve_execution",
    );
    expect(seen.at(-1)?.data).toMatchObject({
      stake: "high",
      metadata: { mcpServerName: "shop", toolName: "buy" },
      inputs: { word: "shoes" },
    });
    const before = shop().calls.length;
    const { actionId } = seen.at(-1)!.data;
    const json = { actionId, approved: "approved", params: { word: "boots" } };
    expect((await calls.call("POST", `${tail}/validate-action`, { json })).status).toBe(200);
    const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
    await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
    expect(shop().calls.slice(before)).toEqual([{ name: "buy", arguments: { word: "boots" } }]);
    const [answer] = answersOf(await calls.get(cId));
    expect(answer?.content).toBe("Let me see. It says: Bought boots");
  });

  it("are refused in private networks that the operator does not allow", async () => {
    const refused = agents.register({ url: "http://10.0.0.1/mcp" });
    await expect(refused).rejects.toThrow(/https/);
    const metadata = agents.register({ url: "https://169.254.169.254/mcp" });
    await expect(metadata).rejects.toThrow(/169\.254\.169\.254/);
  });

  it("are asked again when they are told to, and when the shop offers more", async () => {
    const { tool, version } = await agents.register(shop());
    shop().extend();
    const wId = server().demo.workspaceId;
    const fresh = await calls.rpc().tools.refresh.mutate({ wId, toolId: tool.sId });
    expect(fresh.version).toBe(version + 1);
    expect(fresh.tool.server.tools.map(({ name }) => name)).toContain("sell");
  });

  it("come with the skills of agents, and with a conversation", async () => {
    const { workspaceId: wId } = server().demo;
    const { tool } = await agents.register(shop(), {
      defaultStake: "never_ask",
      isRestrictedToSkills: true,
    });
    const skill = { wId, name: "selling", agentFacingDescription: "Sells" };
    const { skill: made } = await calls.rpc().skills.create.mutate({
      ...skill,
      toolIds: [tool.sId],
    });
    const about = { wId, agentId: await agents.createAgent(tool.sId, "shop__find") };
    const answerOf = async (agentId: string) => {
      const { conversation } = await calls.create("Go on", [agentId], { blocking: true });
      return answersOf(await calls.get(conversation.sId))[0]?.content;
    };
    // It is the agent's own, but only skills may use it.
    expect(await answerOf(about.agentId)).toContain("No tool named shop__find");
    const { script } = await calls.rpc().agents.getDefinition.query(about);
    await calls.rpc().agents.update.mutate({ ...about, toolIds: [], skillIds: [made.sId] });
    expect(await answerOf(about.agentId)).toContain('comes with the skill "selling": load it');
    const loads = { toolCalls: [{ name: "skills__load", params: { name: "selling" } }] };
    const loading = { ...script, steps: [loads, ...script!.steps] };
    await calls.rpc().agents.update.mutate({ ...about, script: loading });
    expect(await answerOf(about.agentId)).toBe("Let me see. It says: Found shoes");
    // A later turn of the conversation has them without loading the skill again.
    const { conversation: loaded } = await calls.create("Go on", [about.agentId], {
      blocking: true,
    });
    await calls.rpc().agents.update.mutate({ ...about, script });
    const again = { content: "And now?", mentions: [{ configurationId: about.agentId }] };
    await calls.post(loaded.sId, { ...again, blocking: true });
    const later = answersOf(await calls.get(loaded.sId)).at(-1);
    expect(later?.content).toBe("Let me see. It says: Found shoes");
    expect(await answerOf(about.agentId)).toContain('comes with the skill "selling": load it');

    const { tool: free } = await agents.register(shop(), { defaultStake: "never_ask" });
    await calls.rpc().agents.update.mutate({ ...about, skillIds: [], script });
    const { conversation } = await calls.create("First", []);
    const tail = `/${conversation.sId}/tools`;
    const json = { action: "add", mcp_server_view_id: free.sId };
    expect((await calls.call("POST", tail, { json })).status).toBe(200);
    const restricted = { action: "add", mcp_server_view_id: tool.sId };
    expectError(await calls.call("POST", tail, { json: restricted }), "tool_not_found");
    const mentions = [{ configurationId: about.agentId }];
    await calls.post(conversation.sId, { content: "Go on", mentions, blocking: true });
    const [answer] = answersOf(await calls.get(conversation.sId));
    expect(answer?.content).toBe("Let me see. It says: Found shoes");
    await calls.call("POST", tail, { json: { ...json, action: "delete" } });
    await calls.post(conversation.sId, { content: "Go on", mentions, blocking: true });
    const last = answersOf(await calls.get(conversation.sId)).at(-1);
    expect(last?.content).toContain("No tool named");
  });

  it("are cancelled with their answer", async () => {
    const { tool } = await agents.register(shop(), { defaultStake: "never_ask" });
    const agentId = await agents.createAgent(tool.sId, "shop__wait");
    const before = shop().calls.length;
    const { conversation } = await calls.create("Wait", [agentId]);
    const mId = conversation.content.at(-1)!.at(-1)!.sId;
    await eventually(async () => (shop().calls.length > before ? { value: true } : {}), 10_000);
    const json = { messageIds: [mId] };
    await calls.call("POST", `/${conversation.sId}/cancel`, { json });
    const [answer] = answersOf(await calls.get(conversation.sId));
    expect(answer).toMatchObject({ status: "cancelled", actions: [{ status: "errored" }] });
    shop().release();
  });
});
