import { createApi } from "@parley/api";
import { ApiSettings } from "@parley/api/config";
import { openTestCore } from "@parley/core/testing";
import { errorTable } from "@parley/schema";
import pino from "pino";
import { beforeAll, expect, test } from "vitest";
import { pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { type Contract, type Json, type Operation, readContract } from "./contract.ts";
import { exampleRequest, fillPath, makeThings, type Values } from "./requests.ts";

const server = shareServer({ PARLEY_MAX_STREAMS_PER_KEY: "1" });
let contract: Contract;
let values: Values;

beforeAll(async () => {
  contract = await readContract(server());
  values = await makeThings(server);
});

/** The administration is called in administration/rest.test.ts. */
const isPublic = ({ tags }: Operation) => !tags.includes("administration");

/** Whether an operation asks for a key: other services prove who they are by a secret of the trigger. */
const hasKey = (template: string) =>
  /^\/(?:api|v1)\//.test(template) && !/\/triggers\/(?:hooks|signed)\//.test(template);

const find = (operationId: string): Operation => {
  const found = contract.operations.find((one) => one.operationId === operationId);
  if (found === undefined) throw new Error(`${operationId} is not documented`);
  return found;
};

/** Sends a request, expects an answer as documented, and gives its status. */
async function expectDocumented(operation: Operation, request: Request): Promise<number> {
  const answer = await send(server(), request);
  const { operationId } = operation;
  expect({ operationId, faults: contract.findFaults(operation, answer) }).toEqual({
    operationId,
    faults: [],
  });
  return answer.status;
}

test("the document is the one of the interface, asks for a key, and is known by its tag", async () => {
  const { document } = contract;
  expect(document).toMatchObject({ openapi: "3.1.1", info: { version: "1.0.2" } });
  const specified = contract.operations.filter(({ tags }) => tags.includes("specified"));
  expect(specified.map(({ operationId }) => operationId)).toEqual([
    "conversations.create",
    "skills.list",
    "sandboxFunctions.events",
    "sandboxFunctions.events.stream",
  ]);
  const first = await send(server(), { path: "/openapi.json", key: null });
  const etag = first.headers.get("etag") ?? "";
  const headers = { "if-none-match": etag };
  const second = await send(server(), { path: "/openapi.json", key: null, headers });
  expect([etag, second.status, second.text]).toEqual([expect.stringMatching(/^W\/"/), 304, ""]);
});

test("every example of a body, an answer and a refusal is one that its schema takes", () => {
  const faults: string[] = [];
  let examples = 0;
  const look = (value: unknown, place: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { schema, example, examples: named } = value as Record<string, Json | undefined>;
    const given = Object.values(named ?? {}).map((one) => (one as Json)["value"]);
    if (example !== undefined) given.push(example);
    for (const one of given) {
      if (schema === undefined) continue;
      examples++;
      faults.push(...contract.findFaultsIn(schema, one).map((fault) => `${place} ${fault}`));
    }
    for (const [name, member] of Object.entries(value)) look(member, `${place}/${name}`);
  };
  look(contract.document["components"], "components");
  // Forms are joined of two schemas, each of which has members of its own.
  for (const one of contract.operations) {
    if (one.operationId !== "skills.import") look(one, one.operationId);
  }
  expect(faults).toEqual([]);
  expect(examples).toBeGreaterThan(120);
});

test("a list answers a place past its end, as large as one may be written", async () => {
  const nines = "9".repeat(15);
  const places = [nines, `p${nines}`, `${nines}.${nines}`, "999999999.999999999", "9999"];
  for (const operation of contract.operations) {
    const query = new URLSearchParams();
    for (const { name, schema } of operation.parameters) {
      if (name !== "lastValue" && name !== "cursor") continue;
      query.set(
        name,
        places.find((one) => new RegExp(String(schema["pattern"])).test(one))!,
      );
    }
    if (query.size === 0) continue;
    for (const { name, in: place, required, example } of operation.parameters) {
      if (place === "query" && required) query.set(name, String(example));
    }
    const path = fillPath(operation, { ...values, agentId: "helper" });
    const isOfServer = !path.includes(values["wId"]!);
    const key = isOfServer ? server().demo.operatorKey : server().demo.adminKey;
    const status = await expectDocumented(operation, { path: `${path}?${query}`, key });
    const isAnswered = status < 500 && status !== 403;
    expect([operation.operationId, isAnswered]).toEqual([operation.operationId, true]);
  }
});

test("every documented request is answered as documented", async () => {
  // Others need what is deleted: a table most of all.
  const lasts = [
    /^(?:tableRows|agents|conversations|openResponses)\.delete|^documents\.delete\.inSpace$/,
    /^tables\.delete/,
  ];
  const rankOf = ({ operationId }: Operation) =>
    lasts.findIndex((pattern) => pattern.test(operationId));
  const order = contract.operations
    .filter(isPublic)
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  const statuses: Record<string, number> = {};
  for (const operation of order) {
    const { operationId, path: template } = operation;
    const isEndless = operationId === "conversations.events.stream";
    if (isEndless) continue;
    const request = exampleRequest(operation, values);
    const key = hasKey(template) ? {} : { key: null };
    statuses[operationId] = await expectDocumented(operation, { ...request, ...key });
  }
  const refused = Object.entries(statuses).filter(([, status]) => status >= 400);
  // The message is an agent's, no tool call waits for its user, the conversation's summary is no shorter than it, its model
  // is simulated, and the workspace has no tool, no trigger and no server in a client, nor a public URL.
  expect(Object.fromEntries(refused)).toEqual({
    "messages.edit": 400,
    "messages.validateAction": 400,
    "messages.answerQuestion": 400,
    "messages.sendToolOutputs": 400,
    "messages.getRequest": 404,
    "summaries.update": 400,
    "conversations.changeTools": 404,
    "toolAuthorizations.get": 404,
    "toolAuthorizations.revoke": 404,
    "toolAuthorizations.start": 404,
    "tools.invoke": 404,
    "triggers.get": 404,
    "triggers.receive": 404,
    "triggers.receiveSigned": 404,
    "server.client": 404,
    "clientServers.heartbeat": 404,
    "clientServers.answer": 404,
    "clientServers.deregister": 404,
    "files.getByPath": 404,
    "files.getGenerated": 404,
    "clientServers.events": 404,
    "clientServers.events.stream": 404,
    // They were deleted under their other paths.
    "openResponses.delete.ofKey": 404,
    "tableRows.delete.inSpace": 404,
    "tables.delete.inSpace": 404,
  });
});

test("every operation refuses as documented who has no key, a bad one, or one of no role", async () => {
  const { workspaceId } = server().demo;
  const { secret } = await createCalls(server)
    .rpc()
    .apiKeys.create.mutate({ wId: workspaceId, name: "nothing", role: "none" });
  for (const operation of contract.operations) {
    if (!hasKey(operation.path)) continue;
    const request = exampleRequest(operation, values);
    const as = (key: string | null, headers?: Record<string, string>) =>
      expectDocumented(operation, { ...request, key, headers: { ...request.headers, ...headers } });
    expect(await as(null)).toBe(401);
    expect(await as(null, { authorization: "Basic eA==" })).toBe(401);
    expect(await as("sk-unknown")).toBe(401);
    expect(await as(secret)).toBe(403);
  }
});

test("every operation refuses as documented what is unknown and what is malformed", async () => {
  for (const operation of contract.operations) {
    const { operationId, path: template, method, requestBody } = operation;
    if (!hasKey(template) || !isPublic(operation)) continue;
    const unknown = { ...values, cId: "nothing", fileId: "nothing", functionId: "nothing" };
    const names = ["cId", "fileId", "functionId"].some((name) => template.includes(`{${name}}`));
    const status = await expectDocumented(operation, exampleRequest(operation, unknown));
    // The address of an upload is checked before the file is looked for.
    const isUnknown = names && operationId !== "files.upload";
    expect(isUnknown ? status : 404).toBe(404);
    const request = exampleRequest(operation, { ...values, cId: "\u0000", functionId: "\u0000" });
    const isMalformed = /\{(?:cId|functionId)\}/.test(template);
    expect(isMalformed ? await expectDocumented(operation, request) : 400).toBe(400);
    if (requestBody?.content["application/json"] === undefined) continue;
    const { path: good } = exampleRequest(operation, values);
    const headers = { "content-type": "application/json" };
    const asBody = (body: string) =>
      expectDocumented(operation, { method, path: good, headers, body });
    expect(await asBody("{")).toBe(400);
    expect(await asBody("[]")).toBe(400);
    expect(await asBody(" ".repeat(8 * 1024 * 1024 + 1))).toBe(413);
  }
});

test("keys, streams and unknown routes are refused as documented", async () => {
  const create = find("conversations.create");
  const headers = { "idempotency-key": "documented" };
  const as = (content: string) =>
    expectDocumented(create, {
      path: pathsOf(server()).conversations,
      headers,
      json: { message: { content, mentions: [] } },
    });
  expect(await as("one")).toBe(200);
  expect(await as("one")).toBe(200);
  expect(await as("other")).toBe(422);
  const at = await createCalls(server).create("Hello!");
  const request = exampleRequest(find("conversations.events.stream"), {
    ...values,
    cId: at.conversation.sId,
  });
  const stop = new AbortController();
  const held = await createCalls(server).stream(`/${at.conversation.sId}/events`, stop);
  expect(held.status).toBe(200);
  expect(await expectDocumented(find("conversations.events.stream"), request)).toBe(429);
  stop.abort();
  for (const [method, route, type] of [
    ["GET", "/nothing", "not_found"],
    ["PUT", "/openapi.json", "method_not_supported_error"],
    ["DELETE", pathsOf(server()).conversations, "method_not_supported_error"],
  ] as const) {
    const answer = await send(server(), { method, path: route });
    expect(answer.status).toBe(errorTable[type].status);
    const schema = contract.resolve("#/components/responses/Error.500") as unknown as {
      content: { "application/json": { schema: { properties: Json } } };
    };
    const { properties } = schema.content["application/json"].schema;
    const body = JSON.parse(answer.text) as { error: Json };
    const form = { ...body, error: { ...body.error, type: "internal_server_error" } };
    expect(contract.findFaultsIn({ type: "object", properties }, form)).toEqual([]);
    expect(body.error["type"]).toBe(type);
  }
});

test("every public route of the server is documented, and nothing else", async () => {
  const core = await openTestCore();
  const logger = pino({ level: "silent" });
  const api = await createApi({ core: core.core, settings: ApiSettings.parse({}), logger });
  await api.app.ready();
  const routes = readRoutes(api.app.printRoutes({ commonPrefix: false }));
  await api.close(0);
  await core.close();
  const documented = contract.operations.map(
    ({ method, path }) =>
      `${method} ${path.replace(/\/\{rel\}$/, "*").replaceAll(/\{(\w+)\}/g, ":$1")}`,
  );
  // The RPC is not part of the interface, and drawn without its prefix; the pages of the documentation
  // are no part of the document; MCP is a protocol of its own.
  const isFile = (route: string) => /^\S+ \/docs(?:$|\*|\/(?!api$))/.test(route);
  const isApart = (route: string) =>
    /^\S+ \/?(?:\*|mcp|oauth\/callback(?:\/document)?)$/.test(route);
  const isOurs = (route: string) => isFile(route) || isApart(route);
  const isHead = (route: string) => documented.includes(route.replace(/^HEAD /, "GET "));
  expect(routes.filter((one) => !isOurs(one) && !isHead(one))).toEqual([]);
  expect(documented.filter((one) => !routes.includes(one))).toEqual([]);
});

/** The routes of Fastify's drawing of them, in which each level is four columns wide. */
function readRoutes(drawing: string): string[] {
  const parents: string[] = [];
  return drawing.split("\n").flatMap((line) => {
    const [, indent = "", name = "", methods = ""] =
      /^([│├└─\s]*)(\S*?)(?: \(([^()]+)\))?$/.exec(line) ?? [];
    const depth = indent.length / 4;
    if (depth < 1) return [];
    parents.length = depth - 1;
    parents.push(name);
    const url = parents.join("");
    return methods === "" ? [] : methods.split(", ").map((method) => `${method} ${url}`);
  });
}
