import type { Act, RequestContext } from "@parley/core";
import { endpoints, ParleyError } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { closeAct, openAct, type RequestOrigin } from "./acts.ts";

const apiKey = { sid: "key_1", name: "The key", role: "admin" };
const contextOf = (caller: object) =>
  // Nothing else of a context is read.
  ({ caller, address: "192.0.2.1", requestId: "request" }) as RequestContext & RequestOrigin;
const admin = contextOf({ kind: "workspace", apiKey, workspace: { sid: "own" }, user: {} });
const operator = contextOf({ kind: "operator", apiKey });

describe("openAct", () => {
  const open = (name: keyof typeof endpoints, input: unknown, context = operator) =>
    openAct(endpoints[name], { context, name, input });

  it.each(["skills.list", "conversations.create", "apiKeys.list", "audit.list"] as const)(
    "takes %s for none",
    (name) => expect(open(name, {})).toBeUndefined(),
  );

  it("says who does what, from where", () => {
    expect(open("apiKeys.revoke", { workspaceId: "w", keyId: "key_2" })).toEqual({
      action: "apiKeys.revoke",
      actor: { id: "key_1", name: "The key" },
      workspaceId: "w",
      subjectId: "key_2",
      address: "192.0.2.1",
      requestId: "request",
      recorded: false,
    });
  });

  it("is of the key's own workspace, whatever it names", () => {
    const input = { workspaceId: "w", keyId: "key_2" };
    expect(open("apiKeys.revoke", input, admin)).toMatchObject({ workspaceId: "own" });
  });

  it.each([
    ["dataSourceNodes.put", { dataSourceViewId: "dsv_1", nodeId: "n" }, "dsv_1/n"],
    ["dataSourceNodes.put", { dataSourceViewId: "dsv_1" }, undefined],
    ["apiKeys.create", { keyId: "key_2" }, undefined],
    ["apiKeys.revoke", { keyId: 7 }, undefined],
    ["apiKeys.revoke", { keyId: "x".repeat(300) }, "x".repeat(255)],
    ["apiKeys.revoke", { keyId: "a\u0000b\ud800" }, "ab\ufffd"],
    ["apiKeys.revoke", null, undefined],
    ["apiKeys.revoke", "text", undefined],
    ["apiKeys.revoke", undefined, undefined],
  ] as const)("of %s with %j is done to %j", (name, input, subjectId) => {
    expect(open(name, input)?.subjectId).toBe(subjectId);
  });
});

describe("closeAct", () => {
  const act = { action: "test.act", recorded: false } as Act;

  it("refuses an act that was done without a record", async () => {
    await expect(closeAct(admin, act)).rejects.toThrow("test.act was done outside a transaction");
    await expect(closeAct(admin, { ...act, recorded: true })).resolves.toBeUndefined();
  });

  it("does not ask a database that cannot be reached", async () => {
    const error = new ParleyError("service_unavailable", "Try again");
    await expect(closeAct(admin, act, error)).resolves.toBeUndefined();
  });
});
