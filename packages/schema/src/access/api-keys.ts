import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { Time } from "../parsing/times.ts";
import { GivenRole, WorkspaceRole } from "../roles.ts";

/** Every character a key may have. */
export const API_KEY_PATTERN = /^sk-[A-Za-z0-9\-._~+/]+=*$/;

/** A key of a workspace, without its secret. */
export const ApiKey = z.object({
  sId: z.string().describe("Id of the key").meta({ example: "key_Hs6Lp1Qv8D" }),
  name: z.string().describe("Name of the key").meta({ example: "backend" }),
  userId: z
    .string()
    .describe("Id of its service user, which can be an editor of skills")
    .meta({ example: "Us3rAb12Cd" }),
  role: WorkspaceRole.describe("Role of the key"),
  spaceIds: z.array(z.string()).describe("Restricted spaces that the key can see"),
  createdAt: Milliseconds.describe("When the key was created"),
  expiresAt: Milliseconds.nullable().describe("When the key expires, if it does"),
  disabledAt: Milliseconds.nullable().describe("Since when the key is disabled, if it is"),
  revokedAt: Milliseconds.nullable().describe("When the key was revoked, if it was"),
});
export type ApiKey = z.infer<typeof ApiKey>;

const spaceIds = optional(z.array(Reference).max(1000)).describe(
  "Restricted spaces that the key can see",
);

export const CreateApiKey = WorkspaceParams.extend({
  name: text(255, 1).describe("Name of the key").meta({ example: "backend" }),
  role: GivenRole.describe("Role of the key; manager means builder").meta({ example: "user" }),
  expiresAt: optional(Time).describe("When the key expires; never by default"),
  spaceIds,
});
export type CreateApiKey = z.output<typeof CreateApiKey>;

export const CreatedApiKey = z.object({
  apiKey: ApiKey.describe("The new key"),
  secret: z.string().describe("The key itself; shown only once").meta({ example: "sk-…" }),
});
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const KeyIdentity = WorkspaceParams.extend({
  keyId: Reference.describe("Id of the key").meta({ example: "key_Hs6Lp1Qv8D" }),
});

export const UpdateApiKey = KeyIdentity.extend({
  role: optional(GivenRole).describe("New role; manager means builder"),
  spaceIds,
  expiresAt: Time.nullable().optional().describe("New expiry; null for never"),
  disabled: optional(z.boolean()).describe("Whether the key is disabled"),
});
export type UpdateApiKey = z.output<typeof UpdateApiKey>;

/** Bound on how long a rotated secret stays valid: 7 days. */
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60;

/** How long the secret before a rotation stays valid. */
export const OverlapSeconds = optional(z.int().min(0).max(MAX_OVERLAP_SECONDS))
  .transform((seconds) => seconds ?? 0)
  .describe(
    "How long the old secret stays valid, up to 7 days; by default it is revoked immediately",
  )
  .meta({ example: 3600 });

export const RotateApiKey = KeyIdentity.extend({ overlapSeconds: OverlapSeconds });
export type RotateApiKey = z.output<typeof RotateApiKey>;

/** The secrets of a rotated key, besides the key. */
export const rotatedSecrets = {
  secret: z.string().describe("The new secret; shown only once").meta({ example: "sk-…" }),
  previousSecretExpiresAt: Milliseconds.describe("When the old secret stops working"),
};

export const RotatedApiKey = z.object({
  apiKey: ApiKey.describe("The key; only its secret has changed"),
  ...rotatedSecrets,
});
export type RotatedApiKey = z.infer<typeof RotatedApiKey>;

export const ApiKeyList = z.object({ apiKeys: z.array(ApiKey).describe("Keys, oldest first") });

/** Operations on the keys of a workspace. */
export const apiKeyEndpoints = {
  "apiKeys.create": {
    ...administer({
      role: "admin",
      method: "POST",
      path: `${administered}/keys`,
      input: CreateApiKey,
    }),
    summary: "Create a key",
    subject: [],
    output: CreatedApiKey,
    errors: ["workspace_not_found", "space_not_found"],
  },
  "apiKeys.list": {
    ...administer({
      role: "admin",
      method: "GET",
      path: `${administered}/keys`,
      input: WorkspaceParams,
    }),
    summary: "List the keys of a workspace",
    output: ApiKeyList,
  },
  "apiKeys.update": {
    ...administer({
      role: "admin",
      method: "PATCH",
      path: `${administered}/keys/{keyId}`,
      input: UpdateApiKey,
    }),
    storesLittle: true,
    summary: "Change a key's role, spaces or expiry, or disable it",
    subject: ["keyId"],
    output: z.object({ apiKey: ApiKey.describe("The key") }),
    errors: ["workspace_not_found", "api_key_not_found", "space_not_found"],
  },
  "apiKeys.rotate": {
    ...administer({
      role: "admin",
      method: "POST",
      path: `${administered}/keys/{keyId}/rotate`,
      input: RotateApiKey,
    }),
    storesLittle: true,
    summary: "Give a key a new secret",
    subject: ["keyId"],
    output: RotatedApiKey,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
  "apiKeys.revoke": {
    ...administer({
      role: "admin",
      method: "DELETE",
      path: `${administered}/keys/{keyId}`,
      input: KeyIdentity,
    }),
    summary: "Revoke a key permanently",
    subject: ["keyId"],
    output: Success,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
