import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { createRpcClient } from "parley-client";
import { expect, test, vi } from "vitest";
import { type Answer, expectError, minimal, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";

// Bodies are charged by what they cost, whatever their size and their door: one workspace's wait and are
// refused, another's are answered. The limits of calls are off, so that nothing else refuses them.

const server = shareServer({
  PARLEY_RATE_CREATE_PER_MINUTE: "0",
  PARLEY_RATE_CREATE_PER_HOUR: "0",
  PARLEY_RATE_READ_PER_MINUTE: "0",
  PARLEY_RATE_INVOKE_PER_MINUTE: "0",
});
/** All of them take three times what a workspace's bodies may take in six seconds. */
const FLOOD = 600;
const json = { "content-type": "application/json" };
const message = '"message":{"content":"x","mentions":[]}';
/** 3,000 values in 15 KB. */
const rest = `${'"":0,'.repeat(2999)}"":0`;
const unknown = (count: number) =>
  Array.from({ length: count }, (_, index) => `"unknown${index}":0`).join(",");

/** Makes a workspace with a key. */
async function createWorkspace(): Promise<{ wId: string; key: string }> {
  const { url, demo } = server();
  const operator = createRpcClient({ url, apiKey: demo.operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name: "Costs" });
  const wId = workspace.sId;
  const { secret } = await operator.apiKeys.create.mutate({ wId, name: "key", role: "builder" });
  return { wId, key: secret };
}

type Door = (wId: string) => Pick<Request, "path" | "body" | "headers">;

const doors: Record<string, Door> = {
  create: (wId) => ({
    path: `/api/v1/w/${wId}/assistant/conversations`,
    headers: json,
    body: `{${message},${rest}}`,
  }),
  search: (wId) => ({
    path: `/api/v1/w/${wId}/search`,
    headers: json,
    body: `{"query":"x",${rest}}`,
  }),
  RPC: (wId) => ({
    path: "/rpc/conversations.create",
    headers: json,
    body: `{"json":{"wId":"${wId}",${message},${rest}}}`,
  }),
  "RPC without a body": (wId) => ({
    path: `/rpc/skills.list?input={"json":{"wId":"${wId}","x":[${"0,".repeat(7000)}0]}}`,
  }),
  "query of REST": (wId) => ({ path: `/api/v1/w/${wId}/skills?${"a=0&".repeat(3500)}` }),
  MCP: () => ({
    path: "/mcp",
    headers: { ...json, accept: "application/json, text/event-stream" },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/list",${rest}}`,
  }),
};

test.each(Object.entries(doors))(
  "small bodies with many values take turns: %s",
  { timeout: 60_000 },
  async (_, door) => {
    const { wId, key } = await createWorkspace();
    const other = await createWorkspace();
    const flood = Array.from({ length: FLOOD }, () => send(server(), { ...door(wId), key }));
    const path = `/api/v1/w/${other.wId}/assistant/conversations`;
    const bystander: number[] = [];
    const stop = Promise.all(flood).then(() => true);
    do {
      bystander.push((await send(server(), { path, key: other.key, json: minimal })).status);
    } while (!(await Promise.race([stop, Promise.resolve(false)])));
    const refused = (await Promise.all(flood)).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(FLOOD);
    for (const { text } of refused) expect(text).toMatch(/Too many values in small bodies/);
    expect(new Set(bystander)).toEqual(new Set([200]));
  },
);

test("forms are charged by their bytes", { timeout: 60_000 }, async () => {
  const { wId, key } = await createWorkspace();
  const path = `/api/v1/w/${wId}/skills`;
  const body = new FormData();
  body.append("files", new Blob([new Uint8Array(16 * 1024 * 1024)]), "skill/SKILL.md");
  const post = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(server().url + path, { method: "POST", headers, body });
    return `${response.status} ${await response.text()}`;
  };
  let refused: string | undefined;
  for (let turn = 0; turn < 60 && refused === undefined; turn++) {
    const answers = await Promise.all([post(), post()]);
    refused = answers.find((answer) => answer.includes("Too many large bodies"));
  }
  expect(refused).toMatch(/^429 /);
  // What is small does not wait for what is large.
  expect((await send(server(), { path: `${path}?status=active`, key })).status).toBe(200);
});

test("a body without a length counts as the largest until it is read", async () => {
  const { wId, key } = await createWorkspace();
  const path = `/api/v1/w/${wId}/assistant/conversations`;
  const begin = (): ClientRequest => {
    const headers = { ...json, authorization: `Bearer ${key}` };
    const begun = request(server().url + path, { method: "POST", headers, agent: false });
    begun.on("error", () => {}).write("{");
    return begun;
  };
  // Each waits behind those before it, until one would wait too long.
  const begun = Array.from({ length: 8 }, begin);
  const [refused] = (await Promise.race(begun.map((one) => once(one, "response")))) as [
    IncomingMessage,
  ];
  expect(refused.statusCode).toBe(429);
  for (const one of begun) one.destroy();
  // What did not come is given back.
  const chunked = () =>
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from(JSON.stringify(minimal)));
        controller.close();
      },
    });
  await vi.waitFor(async () => {
    const headers = { ...json, authorization: `Bearer ${key}` };
    const url = server().url + path;
    const sent = { method: "POST", headers, body: chunked(), duplex: "half" } as const;
    expect((await fetch(url, sent)).status).toBe(200);
  }, 10_000);
});

test("a body holds at most what its endpoint may know, and some thousand values more", async () => {
  const { adminKey: key, workspaceId: wId } = server().demo;
  const { workspace, conversations } = pathsOf(server());
  const post = (path: string, body: string): Promise<Answer> =>
    send(server(), { path, key, headers: json, body });
  const expectTooMany = (answer: Answer, most: RegExp) =>
    expectError(answer, "invalid_request_error", { message: most });

  const search = `${workspace}/search`;
  const ofSearch = /^Invalid request body: must hold at most 5\d{3} values$/;
  expect((await post(search, `{"query":"x",${unknown(4900)}}`)).status).toBe(200);
  expectTooMany(await post(search, `{"query":"x",${unknown(6000)}}`), ofSearch);

  const known = await post(conversations, `{${message},${unknown(4900)}}`);
  expect(known.status).toBe(200);
  expect((JSON.parse(known.text) as { warnings: unknown[] }).warnings).toHaveLength(21);
  // Tools of an application are some thousand of them.
  const ofCreate = /^Invalid request body: must hold at most 2\d{4} values$/;
  expectTooMany(await post(conversations, `{${message},${unknown(90_000)}}`), ofCreate);

  const call = (values: string) => `{"json":{"wId":"${wId}",${message},${values}}}`;
  const overRpc = await post("/rpc/conversations.create", call(unknown(90_000)));
  expect(overRpc.status).toBe(400);
  expect(overRpc.text).toMatch(/must hold at most 2\d{4} values/);

  const overMcp = await send(server(), {
    path: "/mcp",
    key,
    headers: { ...json, accept: "application/json, text/event-stream" },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/list",${unknown(20_000)}}`,
  });
  const refusal = JSON.parse(overMcp.text) as { error: { code: number; message: string } };
  expect(refusal.error.message).toBe("Invalid request body: must hold at most 20000 values");

  const batch = `{"0":${call(unknown(20_000))},"1":${call('"x":0')}}`;
  const names = "conversations.create,conversations.create";
  expect((await post(`/rpc/${names}?batch=1`, batch)).text).not.toMatch(/must hold at most/);
});
