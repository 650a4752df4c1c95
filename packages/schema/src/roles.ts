import * as z from "zod";

/** Roles of a workspace key, the lowest first. */
export const WorkspaceRole = z.enum(["none", "user", "builder", "admin"]);
export type WorkspaceRole = z.infer<typeof WorkspaceRole>;

/** Role that an endpoint requires: the lowest role of a workspace key, or an operator key. */
export const Role = z.enum([...WorkspaceRole.options, "operator"]);
export type Role = z.infer<typeof Role>;
