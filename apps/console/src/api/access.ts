import type { Session } from "./session.ts";

const roles = ["none", "user", "builder", "admin", "operator"] as const;

/** Whether a session has a role of a workspace, or a higher one. Operators have no workspace. */
export function hasRole({ role }: Session, least: "user" | "builder" | "admin"): boolean {
  return role !== "operator" && roles.indexOf(role) >= roles.indexOf(least);
}

/** Whether a session has a scope; sessions of keys have all. */
export function hasScope(
  { scopes }: Session,
  scope: NonNullable<Session["scopes"]>[number],
): boolean {
  return scopes === null || scopes.includes(scope);
}
