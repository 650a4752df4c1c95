import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createRpcClient } from "parley-client";
import { endpoints } from "@parley/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonOf, pathsOf, send } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";

const SECRET = "heliotrope-and-more";

describe("functions with code", () => {
  /** What a server is sent: it repeats its headers. */
  const asked: string[] = [];
  const shop = createServer((request, response) => {
    asked.push(String(request.headers.authorization));
    response.end(`You are ${request.headers.authorization}`);
  });
  const server = shareServer({
    PARLEY_PRIVATE_HOSTS: "127.0.0.1",
    PARLEY_SANDBOX_PRIVATE_HOSTS: "127.0.0.1",
  });
  const calls = createCalls(server);
  const wId = () => server().demo.workspaceId;
  const rpc = () =>
    createRpcClient({ url: server().url, apiKey: server().demo.adminKey }).sandboxFunctions;

  beforeAll(async () => {
    shop.listen(0, "127.0.0.1");
    await once(shop, "listening");
  });
  afterAll(async () => {
    shop.closeAllConnections();
    shop.close();
    await once(shop, "close");
  });

  const create = async (
    slug: string,
    source: string | Record<string, string>,
    more: object = {},
  ) => {
    const program = { type: "javascript" as const, source, ...more };
    return rpc().create.mutate({ wId: wId(), slug, program });
  };
  const invoke = async (slug: string, input: unknown = null) => {
    const path = pathsOf(server()).invocations(slug);
    const answer = await send(server(), { path, json: { input } });
    const schema = endpoints["sandboxFunctions.invoke"].output;
    const { invocation, outcome } = jsonOf(answer, schema, 201).parsed;
    return { ...invocation, ...outcome };
  };
  const refusal = async (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => "nothing was refused",
      (error: unknown) => (error as Error).message,
    );

  it("run what their author wrote, in TypeScript, of several files", async () => {
    const made = await create("sum", {
      "index.ts": `import { add } from "./lib/add";
        interface Input { readonly a: number; readonly b: number }
        export default async ({ a, b }: Input) => ({ sum: add(a, b) });`,
      "lib/add.ts": "export const add = (a: number, b: number): number => a + b;",
    });
    expect(JSON.stringify(made)).not.toContain("bundle");
    expect(await invoke("sum", { a: 40, b: 2 })).toMatchObject({
      status: "succeeded",
      result: { sum: 42 },
    });
    const { sandboxFunction } = await rpc().get.query({ wId: wId(), functionId: "sum" });
    expect(sandboxFunction.program).toMatchObject({
      type: "javascript",
      source: { "lib/add.ts": expect.stringContaining("a + b") },
    });
  });

  it("are refused with the place and the line, and leave no trace", async () => {
    const before = await rpc().listAll.query({ wId: wId(), limit: 100 });
    const syntax = create("broken", "export default () => {\n  const x = ;\n};\n");
    expect(await refusal(syntax)).toBe(
      'Invalid request body: program.source: index.ts:2:13: Unexpected ";" |   const x = ;',
    );
    const missing = create("broken", { "index.ts": 'import "./gone";\nexport default () => 1;' });
    expect(await refusal(missing)).toContain("index.ts:1:8: ");
    const outside = create("broken", 'import fs from "node:fs";\nexport default () => fs;');
    expect(await refusal(outside)).toContain("node:fs");
    expect(await rpc().listAll.query({ wId: wId(), limit: 100 })).toEqual(before);
  });

  it("get versions, and throw errors that name the author's lines", async () => {
    const { sandboxFunction } = await create("versions", "export default () => 1;");
    const source = {
      "index.ts": 'import { fail } from "./fail.ts";\nexport default () => fail();',
      "fail.ts": '\n\nexport const fail = (): never => {\n  throw new Error("out of shoes");\n};',
    };
    const updated = await rpc().update.mutate({
      wId: wId(),
      functionId: "versions",
      version: sandboxFunction.version,
      program: { type: "javascript", source },
    });
    expect(updated.sandboxFunction.version).toBe(2);
    const invocation = await invoke("versions");
    expect(invocation).toMatchObject({ status: "errored", error: { code: "threw" } });
    expect(JSON.stringify(invocation)).toMatch(/out of shoes.*fail\.ts:4/);
  });

  it("send secrets that they never see, to the hosts that they list", async () => {
    const { port } = shop.address() as AddressInfo;
    const host = `127.0.0.1:${port}`;
    const source = `export default async (input, { fetch, log, secrets }) => {
      const response = await fetch("http://${host}/", {
        headers: { authorization: "Bearer {{secrets.SHOP_TOKEN}}" },
      });
      const text = await response.text();
      log("info", text);
      return { text, status: response.status };
    };`;
    await create("shopper", source, { allowedHosts: [host], secrets: [{ name: "SHOP_TOKEN" }] });
    expect(await invoke("shopper")).toMatchObject({ status: "errored" });
    expect(asked).toEqual([]);
    const { functionSecrets } = createRpcClient({
      url: server().url,
      apiKey: server().demo.adminKey,
    });
    const secret = { wId: wId(), name: "SHOP_TOKEN" };
    const put = await functionSecrets.put.mutate({ ...secret, value: SECRET });
    expect(JSON.stringify(put)).not.toContain(SECRET);
    expect((await functionSecrets.list.query({ wId: wId() })).functionSecrets).toMatchObject([
      { name: "SHOP_TOKEN" },
    ]);
    const invocation = await invoke("shopper");
    expect(invocation).toMatchObject({
      status: "succeeded",
      result: { status: 200, text: "You are Bearer [hidden]" },
    });
    expect(asked).toEqual([`Bearer ${SECRET}`]);
    const path = `${pathsOf(server()).invocations("shopper")}/${invocation.sId}/events?include=log`;
    const events = await send(server(), { path, headers: { accept: "text/event-stream" } });
    expect(events.text).not.toContain(SECRET);
    expect(server().output.stderr).not.toContain(SECRET);
    expect(await functionSecrets.remove.mutate(secret)).toEqual({ success: true });
    expect(await refusal(functionSecrets.remove.mutate(secret))).toContain("no such secret");
  });

  it("end with a code of their own past each limit", async () => {
    await create("spin", "export default () => { for (;;); }", { cpuMs: 100 });
    expect(await invoke("spin")).toMatchObject({ error: { code: "cpu_exceeded" } });
    const hungry =
      "export default () => { const all = []; for (;;) all.push(new Array(1e5).fill(1)); }";
    await create("hungry", hungry, { memoryBytes: 16_777_216 });
    expect(await invoke("hungry")).toMatchObject({ error: { code: "out_of_memory" } });
    await create("inward", `export default (_, { fetch }) => fetch("http://169.254.169.254/");`, {
      allowedHosts: ["169.254.169.254"],
    });
    expect(await invoke("inward")).toMatchObject({ error: { code: "fetch_refused" } });
  });

  it("are cancelled at once, also while they loop", async () => {
    await create("endless", "export default () => { for (;;); }", { cpuMs: 60_000 });
    const path = pathsOf(server()).invocations("endless");
    const headers = { prefer: "respond-async" };
    const answer = await send(server(), { path, json: {}, headers });
    const { sId } = (JSON.parse(answer.text) as { invocation: { sId: string } }).invocation;
    const cancelled = await send(server(), { method: "POST", path: `${path}/${sId}/cancel` });
    expect(cancelled.status).toBe(200);
    expect((await send(server(), { path: `${path}/${sId}` })).text).toContain('"cancelled"');
    // Its place is free for others.
    expect(await invoke("invoice-total", { lines: [] })).toMatchObject({ result: { total: 0 } });
  });

  const createCaller = async (
    name: string,
    functionId: string,
    params: Record<string, unknown>,
  ) => {
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: wId(),
      name,
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: [functionId],
      script: {
        steps: [{ text: "", toolCalls: [{ name: functionId, params }] }, { text: "{{result}}" }],
      },
    });
    return agentConfiguration.sId;
  };
  const answerTo = (cId: string) =>
    eventually(async () => {
      const [value] = answersOf(await calls.get(cId));
      return value === undefined || value.status === "created" ? {} : { value };
    }, 15_000);

  it("are called by agents, which are told what went wrong", async () => {
    const lines = [{ name: "tea", price: 3, quantity: 2 }];
    const clerk = await createCaller("Clerk", "invoice-total", { lines });
    const added = await calls.create("How much?", [clerk]);
    expect((await answerTo(added.conversation.sId)).content).toBe('{"total":6}');
    await create("looping", "export default () => { for (;;); }", { cpuMs: 200 });
    const looper = await createCaller("Looper", "looping", {});
    const looped = await calls.create("Go", [looper]);
    const answer = await answerTo(looped.conversation.sId);
    expect(answer.status).toBe("succeeded");
    expect(answer.content).toContain("cpu_exceeded");
  });

  it("end with the answer that called them", async () => {
    await create("patient", "export default () => { for (;;); }", { cpuMs: 60_000 });
    const waiter = await createCaller("Waiter", "patient", {});
    const { conversation } = await calls.create("Go", [waiter]);
    const path = pathsOf(server()).invocations("patient");
    const running = await eventually(async () => {
      const { text } = await send(server(), { path });
      const [value] = (JSON.parse(text) as { invocations: { sId: string }[] }).invocations;
      return value === undefined ? {} : { value };
    }, 10_000);
    const mId = conversation.content.at(-1)?.at(-1)?.sId;
    await calls.call("POST", `/${conversation.sId}/cancel`, { json: { messageIds: [mId] } });
    expect((await answerTo(conversation.sId)).status).toBe("cancelled");
    const { text } = await send(server(), { path: `${path}/${running.sId}` });
    expect(text).toContain('"cancelled"');
    expect(await invoke("invoice-total", { lines: [] })).toMatchObject({ result: { total: 0 } });
  });
});
