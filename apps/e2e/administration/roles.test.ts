import { readFileSync } from "node:fs";
import path from "node:path";
import { type Endpoint, endpoints } from "@parley/schema";
import { beforeAll, expect, test } from "vitest";
import { members } from "./call-members.ts";
import { createCalls } from "../siblings/calls.ts";
import { type Answer, send } from "../request.ts";
import { root, shareServer } from "../server.ts";

// docs/reference/endpoints.md: every operation of the RPC, with a key of each role.

const server = shareServer();
const calls = createCalls(server);

const roles = ["none", "user", "builder", "admin", "operator"] as const;
type Role = (typeof roles)[number];
const keys = new Map<Role, string>();
let foreignAdmin = "";

beforeAll(async () => {
  const { workspaceId, operatorKey } = server().demo;
  for (const role of ["none", "user", "builder", "admin"] as const) {
    const name = `${role} of the table`;
    const { secret } = await calls.rpc().apiKeys.create.mutate({ wId: workspaceId, name, role });
    keys.set(role, secret);
  }
  keys.set("operator", operatorKey);
  foreignAdmin = (await calls.operator().workspaces.create.mutate({ name: "Foreign" })).adminKey;
});

/** Whether an operation is about its caller alone. */
const isOfCaller = (name: string): boolean => name.startsWith("session.");

/** What docs/reference/endpoints.md says: the operations of the RPC and the least role of each. */
const rows = readFileSync(path.join(root, "docs/reference/endpoints.md"), "utf8")
  .matchAll(/^\| [^|]+ \| (\w+) \| [^|]* \| ([^|]*) \| `([\w.]+)` \|$/gm)
  .map(([, role = "", rest = "", name = ""]) => ({
    name,
    least: role as Role,
    isPublic: !rest.includes("/api/admin/") && !isOfCaller(name),
  }))
  .toArray();

/** What became of a call: its status, and the type of the error if there is one. */
interface Outcome {
  readonly status: number;
  readonly error: string | undefined;
}

/** Whether the input of an operation has the id of a workspace. */
function namesWorkspace(name: string): boolean {
  const { params, query }: Endpoint = endpoints[name as keyof typeof endpoints];
  return "wId" in params.shape || "wId" in { ...query?.shape };
}

/** Asks one procedure over HTTP, in the workspace. */
async function ask(name: string, workspaceId: string, key: string): Promise<Outcome> {
  const endpoint: Endpoint = endpoints[name as keyof typeof endpoints];
  const changes = endpoint.method !== "GET";
  const input = {
    json: {
      ...(namesWorkspace(name) ? { wId: workspaceId } : {}),
      ...members[name],
    },
  };
  const query = `?input=${encodeURIComponent(JSON.stringify(input))}`;
  const request = changes ? { json: input } : {};
  const url = `/rpc/${name}${changes ? "" : query}`;
  return outcomeIn(await send(server(), { path: url, key, ...request }));
}

interface RpcError {
  readonly json: { readonly data: { readonly type: string; readonly httpStatus: number } };
}

/** A subscription tells its errors in the stream, each with the status that it has. */
function outcomeIn({ status, text }: Answer): Outcome {
  const [, inStream] = /^event: serialized-error\ndata: (.*)$/m.exec(text) ?? [];
  if (inStream !== undefined) {
    const { type, httpStatus } = (JSON.parse(inStream) as RpcError).json.data;
    return { status: httpStatus, error: type };
  }
  const { error } = JSON.parse(text) as { error?: RpcError };
  return { status, error: error?.json.data.type };
}

test("docs/reference/endpoints.md names every operation of the RPC", () => {
  const isTransfer = ({ kind }: Endpoint) => ["upload", "multipart", "download"].includes(kind);
  const names = Object.entries(endpoints).flatMap(([name, one]) => (isTransfer(one) ? [] : name));
  expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

const refusals = new Set(["app_auth_error", "workspace_auth_error", "invalid_request_error"]);

/** What becomes of a call with a key of this role. */
function expectedOf(role: Role, { name, least, isPublic }: (typeof rows)[number]) {
  // A token acts under the key that creates it, which is one of its workspace.
  if (role === "operator" && name === "userTokens.create") return [403, "app_auth_error"];
  // An operator's key is not a workspace's, and what is public belongs to workspaces.
  if (role === "operator" && isPublic) return [401, "workspace_auth_error"];
  return roles.indexOf(role) < roles.indexOf(least) ? [403, "app_auth_error"] : "passes";
}

test.for(rows)("$name asks for $least", async (row) => {
  const { name } = row;
  const { workspaceId } = server().demo;
  for (const role of roles) {
    // What would take the workspace away names one that is not there.
    const takes = ["workspaces.delete", "workspaces.suspend"].includes(name);
    const named = takes && role === "operator" ? "AAAAAAAAAA" : workspaceId;
    const { status, error } = await ask(name, named, keys.get(role) ?? "");
    const isRefused = refusals.has(error ?? "") || status >= 500;
    const given = isRefused ? [status, error] : "passes";
    expect([role, given]).toEqual([role, expectedOf(role, row)]);
  }
});

const ofWorkspaces = rows.filter(({ name }) => !isOfCaller(name));

test.for(ofWorkspaces)("$name refuses the admin of another workspace", async ({ name, least }) => {
  const { workspaceId } = server().demo;
  const answers = [
    await ask(name, workspaceId, foreignAdmin),
    await ask(name, "AAAAAAAAAA", foreignAdmin),
  ];
  const expected = least === "operator" ? [403, "app_auth_error"] : [401, "workspace_auth_error"];
  for (const { status, error } of answers) expect([status, error]).toEqual(expected);
});

test.for(rows)("$name refuses a key that nobody has, and none", async ({ name }) => {
  const { workspaceId } = server().demo;
  const unknown = await ask(name, workspaceId, "sk-nobody");
  expect([unknown.status, unknown.error]).toEqual([401, "invalid_api_key_error"]);
});

test("what an operator names that is not there is not found", async () => {
  for (const { name, least, isPublic } of rows) {
    if (isPublic || !namesWorkspace(name)) continue;
    const { status, error } = await ask(name, "AAAAAAAAAA", keys.get("operator") ?? "");
    expect([name, least, status, error]).toEqual([name, least, 404, "workspace_not_found"]);
  }
});
