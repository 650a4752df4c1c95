import { createRpcClient } from "parley-client";
import {
  type AuditEvent,
  type Endpoint,
  endpoints,
  isAdministration,
  isAuditedMutation,
} from "@parley/schema";
import { describe, expect, test } from "vitest";
import { type Answer, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { describeMutations } from "./mutations.ts";

// Every administrative mutation leaves one record, whether it was done or refused. Those of the public API
// are in public-mutations.test.ts.

const mutations = Object.entries<Endpoint>(endpoints)
  .filter(([, endpoint]) => isAuditedMutation(endpoint) && isAdministration(endpoint))
  .map(([name]) => name);

/** A server, and what calls it with a record. */
function openAudited() {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const calls = createCalls(server);
  const { operator } = calls;
  const doable = describeMutations(server, calls);
  let requests = 0;

  /** Does a mutation over HTTP with the key, and gives the answer and what was recorded of it. */
  async function mutation(
    name: string,
    { key, ...content }: { key: string; input?: object; body?: string },
  ) {
    const requestId = `audit-${++requests}`;
    const answer = await send(server(), {
      path: `/rpc/${name}`,
      key,
      headers: { "x-request-id": requestId, "content-type": "application/json" },
      body: content.body ?? JSON.stringify({ json: content.input }),
    });
    const { auditEvents } = await operator().audit.list.query({ limit: 100 });
    const records: AuditEvent[] = auditEvents.filter((event) => event.requestId === requestId);
    return { answer, records };
  }
  const noRole = async (): Promise<string> => {
    const key = { wId: server().demo.workspaceId, name: "no role", role: "none" } as const;
    return (await calls.rpc().apiKeys.create.mutate(key)).secret;
  };
  /** Operators change workspaces, and keys of their own, which are of no workspace. */
  const workspaceOf = (name: string, subjectId: string): string | null => {
    if (name.startsWith("operatorKeys.") || name.endsWith("Server")) return null;
    return name.startsWith("workspaces.") ? subjectId : server().demo.workspaceId;
  };
  const resultOf = ({ text }: Answer): never =>
    (JSON.parse(text) as { result: { data: { json: never } } }).result.data.json;
  return { server, operator, calls, doable, mutation, noRole, workspaceOf, resultOf };
}

// Of the refusals of a workspace in ten seconds, the first hundred have rows of their own.
const HALF = Math.ceil(mutations.length / 2);
describe.each([
  { half: "first", names: mutations.slice(0, HALF) },
  { half: "second", names: mutations.slice(HALF) },
])("the $half half of the mutations", ({ names }) => {
  const { server, doable, mutation, noRole } = openAudited();

  test.for(names)("%s leaves one record when the role does not suffice", async (name) => {
    const { demo } = server();
    const { input, subject } = await doable[name]!();
    const isForUsers = endpoints[name as keyof typeof endpoints].role === "user";
    const key = isForUsers ? await noRole() : demo.userKey;
    const { answer, records } = await mutation(name, { key, input });
    expect(answer.status).toBe(403);
    expect(records).toMatchObject([
      {
        // Whatever workspace is named, the entry belongs to the key's own.
        workspaceId: demo.workspaceId,
        actor: { name: isForUsers ? "no role" : "demo user" },
        action: name,
        subjectId: typeof subject === "string" ? subject : null,
        outcome: "app_auth_error",
      },
    ]);
  });
});

describe("a server", () => {
  const { server, operator, calls, doable, mutation, workspaceOf, resultOf } = openAudited();

  test("every mutation of the endpoint table is tried here", () => {
    expect(Object.keys(doable).toSorted()).toEqual(mutations.toSorted());
  });

  test.for(mutations)("%s leaves one record, of what it did", async (name) => {
    const { demo } = server();
    const { input, subject, asOperator } = await doable[name]!();
    const before = Date.now();
    const key = asOperator ? demo.operatorKey : demo.adminKey;
    const { answer, records } = await mutation(name, { key, input });
    expect(answer.status, answer.text).toBe(200);
    const subjectId = typeof subject === "string" ? subject : subject(resultOf(answer));
    expect(records).toMatchObject([
      {
        workspaceId: workspaceOf(name, subjectId),
        actor: { name: asOperator ? "operator" : "demo admin" },
        action: name,
        subjectId,
        route: null,
        clientIp: "127.0.0.1",
        outcome: "succeeded",
        count: 1,
      },
    ]);
    expect(records[0]?.actor?.id).toMatch(/^key_/);
    expect(records[0]?.at).toBeGreaterThanOrEqual(before);
    // Neither the key, nor what the input says.
    expect(JSON.stringify(records)).not.toMatch(/sk-|example\.com/);
  });

  test.for(mutations)("%s leaves one record when its input is wrong", async (name) => {
    const key = server().demo.operatorKey;
    const wrong = await mutation(name, { key, input: { wId: 7, name: 7 } });
    expect(wrong.answer.status).toBe(400);
    const expected = { workspaceId: null, subjectId: null, action: name };
    expect(wrong.records).toMatchObject([{ ...expected, outcome: "invalid_request_error" }]);
    for (const body of ["{", "", '{"json":null}', '"x"', '{"json":{"wId":"a\\u0000"}}']) {
      const unread = await mutation(name, { key, body });
      const { status } = unread.answer;
      const outcomes = unread.records.map(({ outcome }) => outcome);
      expect([body, status, outcomes]).toEqual([body, 400, ["invalid_request_error"]]);
    }
  });

  test("what is not there leaves a record, of what was named", async () => {
    const { demo } = server();
    const named = { wId: "AAAAAAAAAA", keyId: "key_nobody" };
    const name = "apiKeys.revoke";
    const subjectId = "key_nobody";
    const unknown = await mutation(name, { key: demo.operatorKey, input: named });
    const ofNobody = { workspaceId: null, subjectId, outcome: "workspace_not_found" };
    expect(unknown.records).toMatchObject([ofNobody]);
    const input = { ...named, wId: demo.workspaceId };
    const outcome = "api_key_not_found";
    const asAdmin = await mutation(name, { key: demo.adminKey, input });
    expect(asAdmin.records).toMatchObject([{ workspaceId: demo.workspaceId, subjectId, outcome }]);
    const asOperator = await mutation(name, { key: demo.operatorKey, input });
    expect(asOperator.records).toMatchObject([
      { workspaceId: demo.workspaceId, actor: { name: "operator" }, subjectId, outcome },
    ]);
  });

  test("no record has the name of a function's secret, which may be a pasted secret", async () => {
    const { adminKey: key, workspaceId: wId } = server().demo;
    const named = { wId, name: "pasted_4eC39HqLyjWDarjtT1zdp7dc" };
    const put = { ...named, value: "secret-not-logged" };
    const [first, again] = [
      await mutation("functionSecrets.put", { key, input: put }),
      await mutation("functionSecrets.put", { key, input: put }),
    ];
    const short = await mutation("functionSecrets.put", { key, input: { ...put, value: "x" } });
    const spaced = { ...put, name: `${named.name} x` };
    const refused = await mutation("functionSecrets.put", { key, input: spaced });
    const removed = await mutation("functionSecrets.remove", { key, input: named });
    const missing = await mutation("functionSecrets.remove", { key, input: named });
    const all = [first, again, short, refused, removed, missing].flatMap(({ records }) => records);
    expect(JSON.stringify(all)).not.toContain("pasted");
    const subject = all[0]?.subjectId;
    const expected = [subject, subject, null, null, subject, null];
    expect(all.map(({ subjectId }) => subjectId)).toEqual(expected);
    expect(subject).toMatch(/^\d+$/);
  });

  test("each mutation of a batch leaves its own record", async () => {
    const { demo } = server();
    const { workspaceId } = demo;
    const input = (name: unknown) => ({ json: { wId: workspaceId, name, role: "user" } });
    const body = JSON.stringify({ 0: input("x"), 1: input(7), 2: input("y") });
    const names = Array.from({ length: 3 }, () => "apiKeys.create").join(",");
    const { records } = await mutation(`${names}?batch=1`, { key: demo.adminKey, body });
    const outcomes = records.map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["invalid_request_error", "succeeded", "succeeded"]);
    expect(new Set(records.map(({ subjectId }) => subjectId)).size).toBe(3);
  });

  test("reading leaves no record", async () => {
    const { demo } = server();
    const input = encodeURIComponent(JSON.stringify({ json: { wId: demo.workspaceId } }));
    const path = `/rpc/apiKeys.list?input=${input}`;
    const headers = { "x-request-id": "audit-read" };
    expect((await send(server(), { path, headers })).status).toBe(200);
    const { auditEvents } = await operator().audit.list.query({ limit: 100 });
    expect(auditEvents.filter(({ requestId }) => requestId === "audit-read")).toEqual([]);
  });

  test("an admin reads what is of the own workspace, and nothing of another", async () => {
    const { demo } = server();
    const made = await operator().workspaces.create.mutate({ name: "Foreign" });
    const foreignId = made.workspace.sId;
    const foreign = createRpcClient({ url: server().url, apiKey: made.adminKey });
    const agents = await foreign.audit.list.query({ wId: foreignId });
    expect(agents.auditEvents.map(({ action, actor }) => [action, actor?.name])).toEqual([
      ["workspaces.create", "operator"],
    ]);
    const { audit } = calls.rpc();
    const own = await audit.list.query({ wId: demo.workspaceId, limit: 100 });
    expect(new Set(own.auditEvents.map(({ workspaceId }) => workspaceId))).toEqual(
      new Set([demo.workspaceId]),
    );
    await expect(audit.list.query({ wId: foreignId })).rejects.toMatchObject({
      data: { type: "workspace_auth_error" },
    });
    await expect(audit.list.query({})).rejects.toMatchObject({ data: { type: "app_auth_error" } });
    // What an admin tries elsewhere is recorded at home.
    const elsewhere = { wId: demo.workspaceId, keyId: "key_x" };
    await expect(foreign.apiKeys.revoke.mutate(elsewhere)).rejects.toMatchObject({
      data: { type: "workspace_auth_error" },
    });
    const [tried] = (await foreign.audit.list.query({ wId: foreignId })).auditEvents;
    expect(tried).toMatchObject({ workspaceId: foreignId, outcome: "workspace_auth_error" });
    const after = await audit.list.query({ wId: demo.workspaceId, limit: 1 });
    expect(after.auditEvents[0]?.id).toBeLessThan(tried?.id ?? 0);
  });

  test("the log of a deleted workspace stays, for operators", async () => {
    const { workspace, adminKey } = await operator().workspaces.create.mutate({ name: "Gone" });
    const workspaceId = workspace.sId;
    const admin = createRpcClient({ url: server().url, apiKey: adminKey });
    await admin.workspaces.update.mutate({ wId: workspaceId, name: "Going" });
    await operator().workspaces.delete.mutate({ wId: workspaceId });
    const { auditEvents } = await operator().audit.list.query({ wId: workspaceId });
    expect(auditEvents.map(({ action, actor }) => [action, actor?.name])).toEqual([
      ["workspaces.delete", "operator"],
      ["workspaces.update", "admin"],
      ["workspaces.create", "operator"],
    ]);
  });
});
