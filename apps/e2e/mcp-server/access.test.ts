import { createRpcClient } from "parley-client";
import type { TokenScope } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { answerOf, connect, textOf, toolNames } from "./connect.ts";

// Access through the MCP server: the rules are those of REST.

// Answers of the slow agent are not finished in time.
const server = shareServer({ PARLEY_BLOCKING_TIMEOUT_MS: "1000" });
const rpc = (apiKey = server().demo.adminKey) => createRpcClient({ url: server().url, apiKey });
const workspace = () => ({ wId: server().demo.workspaceId });
const tokenOf = async (externalId: string, ...scopes: TokenScope[]): Promise<string> =>
  (await rpc().userTokens.create.mutate({ ...workspace(), externalId, scopes })).secret;
const open = (key: string) => connect(server(), key);

test("two users have their own conversations, and no others", async () => {
  const scopes = ["agents:read", "conversations:write", "conversations:read"] as const;
  const ada = await open(await tokenOf("ada", ...scopes));
  const bob = await open(await tokenOf("bob", ...scopes));
  const asked = await ada.callTool({ name: "agent__helper", arguments: { message: "Secret" } });
  const { conversationId, messageId } = answerOf(asked);
  const read = { name: "conversation__read", arguments: { conversationId, messageId } };
  expect(answerOf(await ada.callTool(read)).answer).toContain("Secret");
  const unknown = { ...read, arguments: { conversationId: "AAAAAAAAAA", messageId } };
  const [foreign, none] = [await bob.callTool(read), await bob.callTool(unknown)];
  expect(foreign.isError).toBe(true);
  expect(textOf(foreign)).toContain("(conversation_not_found)");
  expect(textOf(foreign)).toBe(textOf(none));
  const continued = await bob.callTool({
    name: "agent__helper",
    arguments: { message: "Let me in", conversationId },
  });
  expect(textOf(continued)).toContain("(conversation_not_found)");
});

describe("a token's scopes", () => {
  test.for([
    [[], ["files:read"]],
    [["conversation__read"], ["conversations:read"]],
    // Only callers who may list agents learn of them.
    [[], ["conversations:write"]],
    [["agent__"], ["conversations:write", "agents:read"]],
    [["invocation__read", "function__"], ["functions:invoke"]],
  ] as const)("offer %j with %j", async ([expected, scopes]) => {
    const client = await open(await tokenOf("scoped", ...scopes));
    const names = await toolNames(client);
    expect([...new Set(names.map((name) => name.replace(/__.*/, "__")))]).toEqual(
      expected.map((name) => name.replace(/__.*/, "__")),
    );
    expect((await client.listResources()).resources).toEqual([]);
    const all = [
      { name: "conversation__read", arguments: { conversationId: "AAAAAAAAAA" } },
      { name: "agent__helper", arguments: { message: "Hi" } },
      { name: "function__add", arguments: { a: 1, b: 2 } },
      { name: "invocation__read", arguments: { functionId: "add", invocationId: "sfi_none" } },
    ];
    for (const call of all.filter(({ name }) => !names.includes(name))) {
      await expect(client.callTool(call)).rejects.toThrow("Unknown tool");
    }
  });
});

test("a key of another workspace sees that one, and a revoked key nothing", async () => {
  const operator = rpc(server().demo.operatorKey);
  const { workspace: other } = await operator.workspaces.create.mutate({ name: "Other" });
  const { secret, apiKey } = await operator.apiKeys.create.mutate({
    wId: other.sId,
    name: "other",
    role: "user",
  });
  const client = await open(secret);
  expect(await toolNames(client)).toEqual(["conversation__read", "invocation__read"]);
  await expect(
    client.callTool({ name: "function__add", arguments: { a: 1, b: 2 } }),
  ).rejects.toThrow("Unknown tool");
  await operator.apiKeys.revoke.mutate({ wId: other.sId, keyId: apiKey.sId });
  await expect(client.listTools()).rejects.toThrow("not valid");
  await expect(open(secret)).rejects.toThrow("401");
});

test("an answer past the limit is read on by another tool", async () => {
  const client = await open(server().demo.userKey);
  const started = await client.callTool({ name: "agent__slowpoke", arguments: { message: "Hi" } });
  expect(started.isError).toBeUndefined();
  const { conversationId, messageId, status } = answerOf(started);
  expect(status).toBe("created");
  expect(textOf(started)).toContain(messageId);
  const read = { name: "conversation__read", arguments: { conversationId, messageId } };
  let result = await client.callTool(read);
  for (let reads = 1; answerOf(result).status === "created" && reads < 10; reads++) {
    result = await client.callTool(read);
  }
  expect(textOf(result)).toContain("nothing is missing");
});

test("a function past the limit is read on by another tool", async () => {
  const { userKey, workspaceId: wId } = server().demo;
  const steps = [{ takesMs: 1500 }];
  for (const [slug, result] of [
    ["lasting", '{ "waited": true }'],
    ["lasting-failure", '$error("Too much")'],
  ] as const) {
    await rpc(server().demo.adminKey).sandboxFunctions.create.mutate({
      wId,
      slug,
      description: "Lasts",
      program: { type: "simulated", behaviour: { steps, result } },
    });
  }
  const client = await open(userKey);
  const invoke = async (slug: string) => {
    const late = await client.callTool({ name: `function__${slug}`, arguments: {} });
    expect(late.isError).toBe(true);
    const { status, ...params } = late.structuredContent as Record<string, string>;
    expect([status, params["functionId"]]).toEqual(["created", slug]);
    expect(textOf(late)).toContain(`call invocation__read with functionId ${slug} and`);
    return { name: "invocation__read", arguments: params };
  };
  const readOn = async (read: Awaited<ReturnType<typeof invoke>>) => {
    for (let reads = 0; reads < 20; reads++) {
      const result = await client.callTool(read);
      if ((result.structuredContent as { status: string }).status !== "created") return result;
      expect(result.isError).toBeUndefined();
      expect(textOf(result)).toContain("invocation__read");
    }
    throw new Error("It never ended");
  };
  const read = await invoke("lasting");
  const succeeded = await readOn(read);
  expect(succeeded.structuredContent).toEqual({
    ...read.arguments,
    status: "succeeded",
    result: { waited: true },
  });
  expect(textOf(succeeded)).toBe('{"waited":true}');
  const failed = await readOn(await invoke("lasting-failure"));
  expect(failed.isError).toBe(true);
  expect(failed.structuredContent).toMatchObject({ status: "errored", error: { code: "threw" } });

  // What another workspace has is as unknown as what nobody has.
  const operator = rpc(server().demo.operatorKey);
  const { workspace: other } = await operator.workspaces.create.mutate({ name: "Else" });
  const key = { wId: other.sId, name: "else", role: "user" } as const;
  const stranger = await open((await operator.apiKeys.create.mutate(key)).secret);
  const foreign = await stranger.callTool(read);
  expect(foreign.isError).toBe(true);
  const unknown = { ...read, arguments: { ...read.arguments, invocationId: "sfi_unknown" } };
  expect(textOf(foreign)).toBe(textOf(await stranger.callTool(unknown)));
});
