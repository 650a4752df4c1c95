import type { AuditedMutation, RequestContext } from "@parley/core";
import { endpoints, HttpInput, isAuditedMutation, ParleyError } from "@parley/schema";
import { describe, expect, it } from "vitest";
import {
  openMutation,
  recordMutation,
  type Recording,
  type RequestOrigin,
} from "./audited-mutations.ts";

const apiKey = { sid: "key_1", name: "The key", role: "admin" };
const contextOf = (caller: object) =>
  // Nothing else of a context is read.
  ({ caller, clientIp: "192.0.2.1", requestId: "request" }) as RequestContext &
    RequestOrigin &
    Recording;
const admin = contextOf({ kind: "workspace", apiKey, workspace: { sid: "own" }, user: {} });
const operator = contextOf({ kind: "operator", apiKey });

describe("openMutation", () => {
  const open = (name: keyof typeof endpoints, input: unknown, context = operator) => {
    const endpoint = endpoints[name];
    if (!isAuditedMutation(endpoint)) throw new Error(`${name} is no mutation`);
    return openMutation(endpoint, { context, name, input });
  };

  it.each(["skills.list", "conversations.create", "apiKeys.list", "audit.list"] as const)(
    "is not for %s",
    (name) => expect(isAuditedMutation(endpoints[name])).toBe(false),
  );

  it("says who does what, from where", () => {
    expect(open("apiKeys.revoke", { wId: "w", keyId: "key_2" })).toEqual({
      action: "apiKeys.revoke",
      actor: { id: "key_1", name: "The key" },
      workspaceId: "w",
      subjectId: "key_2",
      clientIp: "192.0.2.1",
      requestId: "request",
      recorded: false,
    });
  });

  it("is of the key's own workspace, whatever it names", () => {
    const input = { wId: "w", keyId: "key_2" };
    expect(open("apiKeys.revoke", input, admin)).toMatchObject({ workspaceId: "own" });
  });

  it.each([
    ["dataSourceNodes.put", { dataSourceViewId: "dsv_1", nodeId: "n" }, "dsv_1/n"],
    ["dataSourceNodes.put", { dataSourceViewId: "dsv_1" }, undefined],
    [
      "messages.validateAction",
      { wId: "own", cId: "c", mId: "m", actionId: "a", approved: "approved" },
      "c/m/a/approved",
    ],
    [
      "messages.validateAction",
      new HttpInput({
        params: { wId: "own", cId: "c", mId: "m" },
        query: {},
        body: { actionId: "a", approved: "rejected", cId: "other" },
      }),
      "c/m/a/rejected",
    ],
    [
      "messages.validateAction",
      new HttpInput({ params: { cId: "c", mId: "m" }, query: {}, body: "text" }),
      undefined,
    ],
    ["apiKeys.create", { keyId: "key_2" }, undefined],
    ["apiKeys.revoke", { keyId: 7 }, undefined],
    ["summaries.update", { cId: "c", number: 7.5, active: false }, undefined],
    ["summaries.update", { cId: "c", number: 7, active: false }, "c/7/false"],
    ["apiKeys.revoke", { keyId: "x".repeat(300) }, "x".repeat(255)],
    ["apiKeys.revoke", { keyId: "a\u0000b\ud800" }, "ab\ufffd"],
    ["apiKeys.revoke", null, undefined],
    ["apiKeys.revoke", "text", undefined],
    ["apiKeys.revoke", undefined, undefined],
  ] as const)("of %s with %j is done to %j", (name, input, subjectId) => {
    expect(open(name, input).subjectId).toBe(subjectId);
  });
});

describe("recordMutation", () => {
  const mutation = { action: "test.mutation", recorded: false } as AuditedMutation;
  const done = async () => "done";

  it("refuses a mutation that was done without a record", async () => {
    const message = "test.mutation was done outside a transaction";
    await expect(recordMutation(admin, mutation, done)).rejects.toThrow(message);
    await expect(recordMutation(admin, { ...mutation, recorded: true }, done)).resolves.toBe(
      "done",
    );
  });

  it("does not ask a database that cannot be reached", async () => {
    const error = new ParleyError("service_unavailable", "Try again");
    await expect(recordMutation(admin, mutation, () => Promise.reject(error))).rejects.toBe(error);
  });
});
