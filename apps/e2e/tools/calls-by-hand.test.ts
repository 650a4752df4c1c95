import { createParley, createRpcClient } from "parley-client";
import { beforeAll, describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { shareAccounts } from "./account-server.ts";
import { createPersonalUsers } from "./personal-users.ts";
import { createShopAgents } from "./shop-agent.ts";
import { shareShop } from "./shop-server.ts";

// A builder calls one tool of a server, as an agent does, and sees what it answers.

describe("calls of tools by hand", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();
  const accounts = shareAccounts();
  const calls = createCalls(server);
  const agents = createShopAgents(server);
  const users = createPersonalUsers(server, accounts);
  const wId = () => server().demo.workspaceId;
  const clientOf = (apiKey = server().demo.adminKey) =>
    createParley({ baseUrl: server().url, workspaceId: wId(), apiKey });
  const createKey = async (role: "user" | "builder") => {
    const created = await calls.rpc().apiKeys.create.mutate({ wId: wId(), name: role, role });
    return { key: created.secret, keyId: created.apiKey.sId };
  };
  const find = (word = "boots") => ({ toolId, name: "find", arguments: { word } });

  let toolId = "";
  beforeAll(async () => {
    toolId = (await agents.register(shop(), { name: "Shop" })).tool.sId;
  });

  it("answer, and are listed among the runs with what was asked", async () => {
    const before = shop().calls.length;
    const { invocation, outcome } = await clientOf().tools.invoke(find());
    expect(outcome).toMatchObject({
      status: "succeeded",
      result: { content: [{ type: "text", text: "Found boots" }], isError: false },
    });
    expect(shop().calls.slice(before)).toEqual([{ name: "find", arguments: { word: "boots" } }]);
    const { runs } = await calls.rpc().runs.list.query({ wId: wId(), kind: "tool_call", limit: 1 });
    expect(runs).toMatchObject([
      {
        id: invocation.sId,
        status: "succeeded",
        tool: { sId: toolId, name: "Shop" },
        conversationId: null,
      },
    ]);
    const run = await calls.rpc().runs.get.query({ wId: wId(), runId: invocation.sId });
    expect(run.input).toEqual({ name: "find", arguments: { word: "boots" } });
    const { auditEvents } = await calls.rpc().audit.list.query({ wId: wId(), limit: 5 });
    expect(auditEvents).toContainEqual(
      expect.objectContaining({ action: "tools.invoke", subjectId: toolId, outcome: "succeeded" }),
    );
  });

  it("do not reach the server with arguments or a name that it does not take", async () => {
    const before = shop().calls.length;
    const wrong = await clientOf().tools.invoke({ ...find(), arguments: { word: 7 } });
    expect(wrong.outcome).toMatchObject({
      status: "errored",
      error: { code: "invalid_input", message: expect.stringContaining("input.word") },
    });
    const unknown = clientOf().tools.invoke({ ...find(), name: "steal" });
    await expect(unknown).rejects.toMatchObject({
      type: "invalid_request_error",
      issues: [{ path: "name" }],
    });
    expect(shop().calls).toHaveLength(before);
  });

  it("show what the tool failed with", async () => {
    const { outcome } = await clientOf().tools.invoke({ ...find(), name: "fail" });
    expect(outcome).toMatchObject({
      status: "succeeded",
      result: { content: [{ text: "Out of shoes" }], isError: true },
    });
  });

  it("can be followed and cancelled under the id of the tool", async () => {
    const waiting = { ...find(), name: "wait" };
    const { invocation, outcome } = await clientOf().tools.invoke(waiting, { waitSeconds: 0 });
    expect(outcome).toBeUndefined();
    await expect.poll(() => shop().calls.at(-1)?.name).toBe("wait");
    const named = { functionId: toolId, invocationId: invocation.sId };
    const cancelled = await clientOf().invocations.cancel(named);
    expect(cancelled.outcome).toMatchObject({ error: { code: "cancelled" } });
    const types: string[] = [];
    for await (const { type } of clientOf().invocations.follow(named)) types.push(type);
    expect(types).toEqual([
      "sandbox_function_invocation_created",
      "sandbox_function_invocation_error",
    ]);
    const { functionId } = invocation;
    expect(await clientOf().invocations.get({ ...named, functionId })).toEqual(cancelled);
    shop().release();
  });

  it("are for builders that reach the space of the tool, as are their outcomes", async () => {
    const user = await createKey("user");
    await expect(clientOf(user.key).tools.invoke(find())).rejects.toMatchObject({
      type: "app_auth_error",
    });
    const [insider, outsider] = [await createKey("builder"), await createKey("builder")];
    const { space } = await calls.rpc().spaces.create.mutate({
      wId: wId(),
      name: "Closed",
      isRestricted: true,
      keyIds: [insider.keyId],
    });
    const rpcOf = ({ key }: { key: string }) => createRpcClient({ url: server().url, apiKey: key });
    const closed = { wId: wId(), spaceId: space.sId, url: shop().url };
    const { tool } = await rpcOf(insider).tools.register.mutate(closed);
    const call = { ...find("secret"), toolId: tool.sId };
    await expect(clientOf(outsider.key).tools.invoke(call)).rejects.toMatchObject({
      type: "tool_not_found",
    });
    const { invocation } = await clientOf(insider.key).tools.invoke(call);
    const idsOf = async (key: { key: string }) =>
      (await rpcOf(key).runs.list.query({ wId: wId() })).runs.map(({ id }) => id);
    expect(await idsOf(insider)).toContain(invocation.sId);
    expect(await idsOf(outsider)).not.toContain(invocation.sId);
    const runId = invocation.sId;
    await expect(rpcOf(outsider).runs.get.query({ wId: wId(), runId })).rejects.toMatchObject({
      data: { type: "run_not_found" },
    });
    for (const functionId of [tool.sId, invocation.functionId]) {
      const named = { functionId, invocationId: runId };
      await expect(clientOf(outsider.key).invocations.get(named)).rejects.toMatchObject({
        type: "sandbox_function_not_found",
      });
      expect(await clientOf(insider.key).invocations.get(named)).toMatchObject({ invocation });
    }
  });

  it("of a tool of users are made for the caller, once it has allowed them", async () => {
    const { toolId: personal } = await users.prepare();
    const { key } = await createKey("builder");
    const call = { toolId: personal, name: "whoami", arguments: { word: "x" } };
    const before = accounts().calls.length;
    await expect(clientOf(key).tools.invoke(call)).rejects.toMatchObject({
      type: "tool_unreachable",
      message: expect.stringContaining("you have not"),
    });
    await users.allow(key, { toolId: personal, login: "bea" });
    const { outcome } = await clientOf(key).tools.invoke(call);
    expect(outcome).toMatchObject({ status: "succeeded" });
    expect(JSON.stringify(outcome)).toContain("You are bea");
    expect(accounts().calls.slice(before)).toEqual(["bea"]);
  });

  it("leave the calls of agents to their conversations", async () => {
    const free = { name: "Stall", defaultStake: "never_ask" } as const;
    const { sId } = (await agents.register(shop(), free)).tool;
    const agentId = await agents.createAgent(sId, "stall__find");
    await calls.create("Go on", [agentId], { blocking: true });
    const { runs } = await calls.rpc().runs.list.query({ wId: wId(), kind: "tool_call", limit: 1 });
    const [{ id: invocationId } = { id: "" }] = runs;
    expect(runs).toMatchObject([{ conversationId: expect.any(String) }]);
    const named = { functionId: sId, invocationId };
    await expect(clientOf().invocations.get(named)).rejects.toMatchObject({
      type: "sandbox_function_invocation_not_found",
    });
  });
});
