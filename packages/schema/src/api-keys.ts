import * as z from "zod";
import { Milliseconds, optional, Reference, text } from "./text.ts";
import { WorkspaceRole } from "./workspaces.ts";

/** Every character a key may have (wire.md, section 3). */
export const API_KEY_PATTERN = /^sk-[A-Za-z0-9\-._~+/]+=*$/;

/** A key of a workspace, without its secret. */
export const ApiKey = z.object({
  sId: z.string().describe("Id of the key"),
  name: z.string().describe("Name of the key"),
  role: WorkspaceRole.describe("Role of the key"),
  createdAt: Milliseconds.describe("When the key was made"),
  expiresAt: Milliseconds.nullable().describe("When the key expires, if it does"),
  revokedAt: Milliseconds.nullable().describe("When the key was revoked, if it was"),
});
export type ApiKey = z.infer<typeof ApiKey>;

export const CreateApiKey = z.object({
  workspaceId: Reference.describe("Workspace of the key"),
  name: text(255, 1).describe("Name of the key"),
  role: WorkspaceRole.describe("Role of the key"),
  expiresAt: optional(Milliseconds).describe("When the key expires; never by default"),
});

export const CreatedApiKey = z.object({
  apiKey: ApiKey.describe("The new key"),
  secret: z.string().describe("The key itself; it is shown only here"),
});
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const RevokeApiKey = z.object({
  workspaceId: Reference.describe("Workspace of the key"),
  keyId: Reference.describe("Id of the key"),
});

export const ListApiKeys = z.object({ workspaceId: Reference.describe("Workspace of the keys") });
export const ApiKeyList = z.object({ apiKeys: z.array(ApiKey).describe("Keys, the oldest first") });
