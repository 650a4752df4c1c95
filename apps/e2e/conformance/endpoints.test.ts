import { implementations } from "@parley/core";
import { appRouter } from "@parley/rpc";
import {
  type Endpoint,
  type EndpointName,
  endpoints,
  errorTable,
  type ErrorType,
  isKeyed,
} from "@parley/schema";
import { expect, test } from "vitest";
import { minimal, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";

interface Procedure {
  readonly _def: { readonly type: "query" | "mutation" | "subscription" };
}
const { _def: definition } = appRouter;
// tRPC keeps the procedures under their dotted names, whatever the types say.
const procedures = definition.procedures as unknown as Record<string, Procedure>;
const typeOf = ({ _def: { type } }: Procedure) => type;
const all: [string, Endpoint][] = Object.entries(endpoints);

test("every endpoint has an implementation, and nothing else has one", () => {
  expect(Object.keys(implementations).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  const ofProcedures = all.filter(([, { kind }]) => kind === "json" || kind === "stream");
  expect(Object.keys(procedures).toSorted()).toEqual(ofProcedures.map(([name]) => name).toSorted());
});

test("what is a stream is a subscription, and only that", () => {
  const kinds = all.map(([name, { kind }]) => [name, kind === "stream"]);
  const isSubscription = ([name]: [string, Endpoint]) =>
    procedures[name] !== undefined && typeOf(procedures[name]) === "subscription";
  expect(all.map((one) => [one[0], isSubscription(one)])).toEqual(kinds);
});

test("what takes an Idempotency-Key can be replayed, and only that", () => {
  for (const [name, endpoint] of all) {
    if (endpoint.kind !== "json") continue;
    const implementation = implementations[name as EndpointName];
    expect("replay" in implementation, name).toBe(isKeyed(endpoint));
  }
});

test("what is asked with GET is a query, and only that", () => {
  for (const [name, endpoint] of all) {
    if (endpoint.kind !== "json") continue;
    const type = endpoint.method === "GET" ? "query" : "mutation";
    expect(procedures[name] && typeOf(procedures[name]), name).toBe(type);
  }
});

test("each endpoint's errors are rows of the table", () => {
  for (const [name, endpoint] of all) {
    for (const type of endpoint.errors) expect(errorTable, name).toHaveProperty(type);
  }
});

const server = shareServer();

interface Refused {
  readonly type: ErrorType;
  readonly procedure: string;
  readonly input: Record<string, unknown>;
  /** The same call over REST. */
  readonly rest: () => Request;
  /** The demo's admin key by default. */
  readonly key?: string | null;
}

const create = (members: object): Pick<Refused, "procedure" | "input" | "rest"> => ({
  procedure: "conversations.create",
  input: { ...minimal, ...members },
  rest: () => ({ path: pathsOf(server()).conversations, json: { ...minimal, ...members } }),
});

const unknownModel = { ...minimal.message, modelSelection: { providerId: "x", modelId: "y" } };
const refused: Refused[] = [
  { type: "not_authenticated", ...create({}), key: null },
  { type: "malformed_authorization_header_error", ...create({}), key: "nonsense" },
  { type: "invalid_api_key_error", ...create({}), key: "sk-nobody" },
  { type: "invalid_request_error", ...create({ message: 7 }) },
  { type: "invalid_request_error", ...create({ title: "a\u0000b" }) },
  { type: "model_disabled", ...create({ message: unknownModel }) },
  { type: "space_not_found", ...create({ spaceId: "vlt_x" }) },
  { type: "file_not_found", ...create({ contentFragments: [{ title: "t", fileId: "x" }] }) },
  {
    type: "sandbox_function_not_found",
    procedure: "sandboxFunctions.invoke",
    input: { functionId: "nothing" },
    rest: () => ({ path: pathsOf(server()).invocations("nothing"), json: {} }),
  },
];

test.for(refused)("$type is the same over REST and RPC", async (one) => {
  const { type, procedure, input, rest, key } = one;
  const authorization = key === undefined ? {} : { key };
  const overRest = await send(server(), { ...rest(), ...authorization });
  const json = { json: { wId: server().demo.workspaceId, ...input } };
  const overRpc = await send(server(), { path: `/rpc/${procedure}`, json, ...authorization });
  const { error } = JSON.parse(overRest.text) as { error: { type: string; message: string } };
  expect(error.type).toBe(type);
  expect(JSON.parse(overRpc.text)).toMatchObject({
    error: { json: { message: error.message, data: { type, message: error.message } } },
  });
});
