import * as z from "zod";

/** Roles of a workspace key, the lowest first. */
export const WorkspaceRole = z.enum(["none", "user", "builder", "admin"]);
export type WorkspaceRole = z.infer<typeof WorkspaceRole>;

/** A role as the public interface shows it: it has no builders. */
export const PublicRole = z.enum(["admin", "user", "none"]);
export type PublicRole = z.infer<typeof PublicRole>;

/** The role that the public interface shows: a builder reads `user`. */
export function publicRoleOf(role: WorkspaceRole): PublicRole {
  return role === "builder" ? "user" : role;
}

/** A role in a request: `manager` is the interface's word for a builder. */
export const GivenRole = z
  .enum([...WorkspaceRole.options, "manager"])
  .transform((role): WorkspaceRole => (role === "manager" ? "builder" : role));

/** Role that an endpoint requires: the lowest role of a workspace key, or an operator key. */
export const Role = z.enum([...WorkspaceRole.options, "operator"]);
export type Role = z.infer<typeof Role>;

/** What the token of a user may be used for. */
export const TokenScope = z.enum([
  "conversations:read",
  "conversations:write",
  "files:read",
  "files:write",
  "functions:invoke",
  "skills:read",
  "agents:read",
  "knowledge:read",
]);
export type TokenScope = z.infer<typeof TokenScope>;
