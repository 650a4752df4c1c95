import { createRpcClient } from "parley-client";
import { beforeAll, describe, expect, test } from "vitest";
import { open, pathsOf, send } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { answerOf, connect, revisions, textOf, toolNames } from "./connect.ts";

// A workspace's agents and functions as tools of the official client.

const server = shareServer();
const rpc = () => createRpcClient({ url: server().url, apiKey: server().demo.adminKey });
const workspace = () => ({ wId: server().demo.workspaceId });
const createAgent = (name: string) =>
  rpc().agents.create.mutate({
    ...workspace(),
    name,
    description: `Is ${name}`,
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: `I am ${name}` }], tokenDelayMs: 0 },
  });
const createFunction = (slug: string, more: object = {}) =>
  rpc().sandboxFunctions.create.mutate({
    ...workspace(),
    slug,
    description: `Does ${slug}`,
    program: { type: "simulated", behaviour: { steps: [], result: "$" } },
    ...more,
  });

describe.for(revisions)("in revision %s", (revision) => {
  const openClient = () => connect(server(), server().demo.userKey, revision);

  test("tools are the agents and functions, as the workspace describes them", async () => {
    const client = await openClient();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["agent__helper", "function__add"]));
    expect(names).toContain("conversation__read");
    const helper = tools.find(({ name }) => name === "agent__helper");
    expect(helper).toMatchObject({ description: "Answers at once", title: "helper" });
    expect(tools.find(({ name }) => name === "conversation__read")?.annotations).toMatchObject({
      readOnlyHint: true,
    });
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: false } });
  });

  test("an agent answers, and a second message continues the conversation", async () => {
    const client = await openClient();
    const first = await client.callTool({
      name: "agent__helper",
      arguments: { message: "Good morning" },
    });
    expect(textOf(first)).toContain("You said: Good morning");
    const { conversationId, status, url } = answerOf(first);
    expect(status).toBe("succeeded");
    expect(url).toMatch(new RegExp(`/conversation/${conversationId}$`));
    const second = await client.callTool({
      name: "agent__helper",
      arguments: { message: "And again", conversationId },
    });
    expect(answerOf(second).conversationId).toBe(conversationId);
    const read = await client.callTool({
      name: "conversation__read",
      arguments: { conversationId, messageId: answerOf(first).messageId },
    });
    expect(answerOf(read).answer).toContain("Good morning");
    const last = await client.callTool({
      name: "conversation__read",
      arguments: { conversationId },
    });
    expect(answerOf(last)).toEqual(answerOf(second));
  });

  test("the text of an answer grows while the client follows it", async () => {
    const client = await openClient();
    const seen: string[] = [];
    const result = await client.callTool(
      { name: "agent__slowpoke", arguments: { message: "Hi" } },
      { onprogress: ({ message = "" }) => void seen.push(message) },
    );
    expect(seen.length).toBeGreaterThan(2);
    for (const [index, text] of seen.entries()) {
      expect(textOf(result)).toContain(text);
      expect(text).toContain(seen[index - 1] ?? "");
    }
  });

  test("an agent's failure is a result", async () => {
    const client = await openClient();
    const result = await client.callTool({ name: "agent__faulty", arguments: { message: "Hi" } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe("This agent always fails");
    expect(answerOf(result)).toMatchObject({ status: "failed" });
  });

  test("a function gives its result, reports progress, and fails as a result", async () => {
    const client = await openClient();
    const sum = await client.callTool({ name: "function__add", arguments: { a: 1, b: 2 } });
    expect(sum.structuredContent).toEqual({ sum: 3 });
    const labels: (string | undefined)[] = [];
    const steps = await client.callTool(
      { name: "function__slow-steps", arguments: {} },
      { onprogress: ({ message }) => void labels.push(message) },
    );
    expect(labels).toEqual(["step 1", "step 2", "step 3", "step 4"]);
    expect(steps.structuredContent).toEqual({ steps: 4 });
    const failed = await client.callTool({ name: "function__always-fails", arguments: {} });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toBe("This function always fails (threw)");
  });

  test("what there is not is an unknown tool, and bad arguments are a result", async () => {
    const client = await openClient();
    for (const name of ["agent__nobody", "function__nothing", "function__a_00000000", "other"]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("Unknown tool"),
      });
    }
    const bad = await client.callTool({ name: "agent__helper", arguments: { message: 1 } });
    expect(bad.isError).toBe(true);
    expect(textOf(bad)).toMatch(/Invalid arguments: message: .*\(invalid_request_error\)/);
    const foreign = await client.callTool({
      name: "agent__helper",
      arguments: { message: "Hi", conversationId: "AAAAAAAAAA" },
    });
    expect(textOf(foreign)).toContain("(conversation_not_found)");
    await expect(client.listTools({ cursor: "other" })).rejects.toMatchObject({ code: -32602 });
  });
});

const isCancelled = (title: string) =>
  eventually(async () => {
    const { text } = await send(server(), { path: pathsOf(server()).conversations });
    const { conversations } = JSON.parse(text) as {
      conversations: { sId: string; title: string }[];
    };
    const sId = conversations.find((one) => one.title === title)?.sId;
    if (sId === undefined) return {};
    const path = `${pathsOf(server()).conversations}/${sId}`;
    const read = await send(server(), { path });
    return read.text.includes('"status":"cancelled"') ? { value: true } : {};
  }, 10_000);

describe("an answer is cancelled", () => {
  test("when the client cancels the call", async () => {
    const client = await connect(server(), server().demo.adminKey);
    const abort = new AbortController();
    const call = client.callTool(
      { name: "agent__slowpoke", arguments: { message: "Never mind" } },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    await expect(call).rejects.toThrow(/abort/i);
    expect(await isCancelled("Never mind")).toBe(true);
  });

  test("when a client of an earlier revision closes the connection", async () => {
    const abort = new AbortController();
    const called = { name: "agent__slowpoke", arguments: { message: "Goodbye" } };
    const params = { ...called, _meta: { progressToken: 1 } };
    const response = await open(server(), {
      path: "/mcp",
      headers: { accept: "application/json, text/event-stream" },
      json: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      signal: abort.signal,
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    abort.abort();
    expect(await isCancelled("Goodbye")).toBe(true);
  });
});

test("an answer that waits for a person is returned as it is", async () => {
  const question = { question: "Which size?", options: [{ label: "Small" }] };
  await rpc().agents.create.mutate({
    ...workspace(),
    name: "Asking",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    asksUser: true,
    script: { steps: [{ text: "Well. ", toolCalls: [{ name: "ask_user", params: question }] }] },
  });
  const client = await connect(server(), server().demo.userKey);
  const result = await client.callTool({ name: "agent__asking", arguments: { message: "Shoes" } });
  expect(answerOf(result)).toMatchObject({ status: "created", answer: "Well. " });
  expect(textOf(result)).toContain("waits for the answer to: Which size?");
});

test("functions whose input or result is not an object have it as a member", async () => {
  const word = { $ref: "#/$defs/word", $defs: { word: { type: "string", minLength: 2 } } };
  await createFunction("echo", { inputSchema: word, outputSchema: { type: "string" } });
  const client = await connect(server(), server().demo.userKey);
  await client.listTools();
  const echoed = await client.callTool({ name: "function__echo", arguments: { input: "Hi" } });
  expect(echoed.structuredContent).toEqual({ result: "Hi" });
  const invalid = await client.callTool({ name: "function__echo", arguments: { input: "H" } });
  expect(invalid.isError).toBe(true);
  expect(textOf(invalid)).toMatch(/input: .*\(invalid_input\)$/);
});

test("an agent that answers in a format gives its value, with the schema in its tool", async () => {
  const schema = {
    $defs: { word: { type: "string", minLength: 2 } },
    type: "object",
    properties: { word: { $ref: "#/$defs/word" } },
    required: ["word"],
  };
  await rpc().agents.create.mutate({
    ...workspace(),
    name: "Words",
    description: "Gives words",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: '{"word":"x"}' }, { text: '{"word":"yes"}' }], tokenDelayMs: 0 },
    responseFormat: { type: "json_schema", schema },
  });
  const client = await connect(server(), server().demo.userKey);
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === "agent__words");
  expect(tool?.outputSchema).toMatchObject({ properties: { structuredOutput: schema } });
  // The client checks what it gets against the schema.
  const result = await client.callTool({ name: "agent__words", arguments: { message: "A word" } });
  expect(result.structuredContent).toMatchObject({
    status: "succeeded",
    answer: '{"word":"yes"}',
    structuredOutput: { word: "yes" },
  });
});

test("a call is not repeated under its Idempotency-Key", async () => {
  const call = async () => {
    const params = { name: "agent__helper", arguments: { message: "Once" } };
    const answer = await send(server(), {
      path: "/mcp",
      headers: { accept: "application/json, text/event-stream", "idempotency-key": "mcp-1" },
      json: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    });
    return /"conversationId":"(\w+)"/.exec(answer.text)?.[1];
  };
  const first = await call();
  expect(first).toMatch(/^\w{10}$/);
  expect(await call()).toBe(first);
});

describe("many tools", () => {
  const slug = `${"long-name-".repeat(10)}end`;
  beforeAll(async () => {
    await createFunction(slug, { inputSchema: { type: "object" } });
    for (const name of ["Ünïcode Clerk!", "Unicode clerk", "日本語"]) await createAgent(name);
    for (let index = 0; index < 60; index++) await createFunction(`f-${index}`);
  });

  test("come in pages, each once, with names that models accept", async () => {
    const client = await connect(server(), server().demo.userKey);
    const names = await toolNames(client);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(65);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(await toolNames(client)).toEqual(names);
    const long = names.find((name) => name.startsWith("function__long-name"))!;
    const result = await client.callTool({ name: long, arguments: { a: 1 } });
    expect(result.structuredContent).toEqual({ a: 1 });
  });

  test("an agent keeps its name, and the tool of another never comes to be it", async () => {
    const client = await connect(server(), server().demo.userKey);
    const { agentConfiguration: first } = await createAgent("Night clerk");
    const { agentConfiguration: second } = await createAgent("night-CLERK");
    const clerks = async () =>
      (await toolNames(client)).filter((name) => name.startsWith("agent__night-clerk")).toSorted();
    const [plain, suffixed = ""] = await clerks();
    expect(plain).toBe("agent__night-clerk");
    expect(suffixed).toMatch(/^agent__night-clerk_[0-9a-f]{8}$/);
    const answer = async (name: string) =>
      textOf(await client.callTool({ name, arguments: { message: "Who?" } }));
    expect(await answer("agent__night-clerk")).toBe("I am Night clerk");
    expect(await answer(suffixed)).toBe("I am night-CLERK");
    await rpc().agents.archive.mutate({ ...workspace(), agentId: first.sId });
    expect(await clerks()).toEqual([suffixed]);
    await expect(answer("agent__night-clerk")).rejects.toThrow("Unknown tool");
    await rpc().agents.archive.mutate({ ...workspace(), agentId: second.sId });
    expect(await clerks()).toEqual([]);
  });
});
