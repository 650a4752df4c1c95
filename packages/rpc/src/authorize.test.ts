import type { Caller, RequestContext } from "@parley/core";
import { type Endpoint, endpoints, WorkspaceRole } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { authorizeWorkspace, requireOperator } from "./authorize.ts";

const callerOf = (role: string) =>
  ({ kind: "workspace", apiKey: { role }, workspace: { sid: "w" }, user: {} }) as Caller;
const operator = { kind: "operator", apiKey: { role: "operator" } } as Caller;
const contextOf = (caller: Caller) => ({ caller }) as RequestContext;
const endpoint: Endpoint = endpoints["skills.list"];

const cases = WorkspaceRole.options.flatMap((least, leastRank) =>
  WorkspaceRole.options.map((role, rank) => ({ least, role, allowed: rank >= leastRank })),
);

describe("authorizeWorkspace", () => {
  it.each(cases)("$role may what takes $least: $allowed", ({ least, role, allowed }) => {
    const context = contextOf(callerOf(role));
    let type = "allowed";
    try {
      expect(authorizeWorkspace({ ...endpoint, role: least }, context, "w").caller).toBe(
        context.caller,
      );
    } catch (error) {
      ({ type } = error as { type: string });
    }
    expect(type).toBe(allowed ? "allowed" : "app_auth_error");
  });

  it.each([
    ["another workspace's key", callerOf("admin"), "other"],
    ["an operator", operator, "w"],
  ])("refuses %s before it asks for the role", (_name, caller, wId) => {
    const authorize = () => authorizeWorkspace(endpoint, contextOf(caller), wId);
    expect(authorize).toThrow("not a key of this workspace");
  });
});

describe("requireOperator", () => {
  it("lets operators pass, and nobody of a workspace", () => {
    expect(requireOperator(operator)).toBeUndefined();
    for (const role of WorkspaceRole.options) {
      expect(() => requireOperator(callerOf(role))).toThrow("needs an operator key");
    }
  });
});
