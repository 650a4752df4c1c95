import { expect, test } from "vitest";
import { hasRole, hasScope } from "./access.ts";
import type { Session } from "./session.ts";

const sessionOf = (role: Session["role"], scopes: Session["scopes"] = null): Session => ({
  workspace: null,
  role,
  scopes,
  keyName: "key",
  userName: null,
  expiresAt: 0,
});

test.for([
  ["user", "user", true],
  ["user", "builder", false],
  ["builder", "builder", true],
  ["admin", "builder", true],
  ["operator", "user", false],
] as const)("%s has the role %s: %s", ([role, least, has]) => {
  expect(hasRole(sessionOf(role), least)).toBe(has);
});

test("a token has only its scopes, and a key all of them", () => {
  expect(hasScope(sessionOf("user"), "files:write")).toBe(true);
  expect(hasScope(sessionOf("user", ["agents:read"]), "agents:read")).toBe(true);
  expect(hasScope(sessionOf("user", ["agents:read"]), "files:write")).toBe(false);
});
