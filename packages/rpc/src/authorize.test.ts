import type { Caller, RequestContext } from "@parley/core";
import { type Endpoint, endpoints, WorkspaceRole } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { authorizeAdministration, authorizeWorkspace } from "./authorize.ts";

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

describe("authorizeAdministration", () => {
  const change = endpoints["agents.create"];
  it("lets operators do everything, in any workspace", () => {
    const context = contextOf(operator);
    expect(authorizeAdministration(endpoints["workspaces.create"], context, undefined)).toBe(
      context,
    );
    expect(authorizeAdministration(change, context, "any")).toBe(context);
  });

  it("keeps what is the operators' from every key of a workspace", () => {
    for (const role of WorkspaceRole.options) {
      const authorize = () =>
        authorizeAdministration(endpoints["workspaces.delete"], contextOf(callerOf(role)), "w");
      expect(authorize).toThrow("needs an operator key");
    }
  });

  it("lets a key do what its role may, in its own workspace", () => {
    const builder = contextOf(callerOf("builder"));
    expect(authorizeAdministration(change, builder, "w").caller).toBe(builder.caller);
    expect(() => authorizeAdministration(change, builder, "other")).toThrow("not a key");
    const user = contextOf(callerOf("user"));
    expect(() => authorizeAdministration(change, user, "w")).toThrow("a key of role builder");
  });
});
