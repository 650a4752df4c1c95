import { createRpcClient } from "parley-client";
import {
  type AuditEvent,
  type Endpoint,
  endpoints,
  isAdministration,
  isAuditedMutation,
} from "@parley/schema";
import { describe, expect, test } from "vitest";
import { awaitApproval } from "../agent-calls/await-approval.ts";
import { type Answer, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// What users decide, and what they destroy, is in the audit log as what admins do is.

test("operations of the public API that are audited are few", () => {
  const names = Object.entries<Endpoint>(endpoints)
    .filter(([, endpoint]) => isAuditedMutation(endpoint) && !isAdministration(endpoint))
    .map(([name]) => name);
  expect(names.toSorted()).toEqual([
    "agents.createGeneric",
    "agents.delete",
    "agents.import",
    "agents.patch",
    "conversations.delete",
    "messages.getRequest",
    "messages.validateAction",
    "session.create",
    "session.createCode",
    "session.end",
    "skills.delete",
    "summaries.update",
    "toolAuthorizations.revoke",
    "tools.invoke",
  ]);
});

describe("a server", () => {
  const server = shareServer();
  const calls = createCalls(server);
  let requests = 0;

  /** Sends a request with the user's key, and gives the answer and what was recorded of it. */
  async function mutation(request: Request): Promise<{ answer: Answer; records: AuditEvent[] }> {
    const requestId = `public-mutation-${++requests}`;
    const headers = { ...request.headers, "x-request-id": requestId };
    const answer = await send(server(), { key: server().demo.userKey, ...request, headers });
    const { auditEvents } = await calls.operator().audit.list.query({ limit: 100 });
    return { answer, records: auditEvents.filter((event) => event.requestId === requestId) };
  }
  const record = (parts: Partial<AuditEvent>) => ({
    workspaceId: server().demo.workspaceId,
    actor: { name: "demo user" },
    clientIp: "127.0.0.1",
    outcome: "succeeded",
    count: 1,
    ...parts,
  });
  const idsIn = (path: string): string => {
    const [, cId, mId] = /conversations\/(\w+)\/messages\/(\w+)\//.exec(path) ?? [];
    return `${cId}/${mId}`;
  };

  test.for(["approved", "rejected", "always_approved"])(
    "says who decided about a tool call, and what: %s",
    async (approved) => {
      const { path, actionId } = await awaitApproval(server);
      const subjectId = `${idsIn(path)}/${actionId}/${approved}`;
      const { answer, records } = await mutation({ path, json: { actionId, approved } });
      expect(answer.status).toBe(200);
      const action = "messages.validateAction";
      expect(records).toMatchObject([record({ action, subjectId })]);
      expect(records[0]?.actor?.id).toMatch(/^key_/);
    },
  );

  test("says who decided over the RPC, and who was refused", async () => {
    const { workspaceId, userKey } = server().demo;
    const { path, actionId } = await awaitApproval(server);
    const subjectId = `${idsIn(path)}/${actionId}`;
    const unknown = await mutation({ path, json: { actionId: "nothing", approved: "approved" } });
    expect(unknown.records).toMatchObject([
      record({ subjectId: `${idsIn(path)}/nothing/approved`, outcome: "invalid_request_error" }),
    ]);
    const [cId = "", mId = ""] = subjectId.split("/");
    const rpc = createRpcClient({ url: server().url, apiKey: userKey });
    const input = { wId: workspaceId, cId, mId, actionId, approved: "rejected" as const };
    await rpc.messages.validateAction.mutate(input);
    const again = { ...input, approved: "approved" as const };
    await expect(rpc.messages.validateAction.mutate(again)).rejects.toThrow("already rejected");
    const { auditEvents } = await calls.operator().audit.list.query({ limit: 2 });
    expect(auditEvents).toMatchObject([
      record({ subjectId: `${subjectId}/approved`, outcome: "invalid_request_error" }),
      record({ subjectId: `${subjectId}/rejected` }),
    ]);
  });

  test("records a decision that is sent again with its Idempotency-Key once", async () => {
    const { path, actionId } = await awaitApproval(server);
    const json = { actionId, approved: "approved" };
    const request = { path, json, headers: { "idempotency-key": `decide-${actionId}` } };
    expect((await mutation(request)).records).toHaveLength(1);
    const { answer, records } = await mutation(request);
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(records).toEqual([]);
  });

  test("says who deleted a conversation", async () => {
    const { spaceId } = server().demo;
    const { conversation } = await calls.create("Hello", [], { spaceId });
    const path = `${pathsOf(server()).conversations}/${conversation.sId}`;
    const subjectId = conversation.sId;
    const action = "conversations.delete";
    const { answer, records } = await mutation({ method: "DELETE", path });
    expect(answer.status).toBe(200);
    expect(records).toMatchObject([record({ action, subjectId })]);
    const again = await mutation({ method: "DELETE", path });
    const outcome = "conversation_not_found";
    expect(again.records).toMatchObject([record({ action, subjectId, outcome })]);
  });
});
