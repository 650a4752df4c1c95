import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams, Success } from "../params.ts";
import {
  ApiKey,
  ApiKeyList,
  CreateApiKey,
  CreatedApiKey,
  KeyIdentity,
  RotateApiKey,
  RotatedApiKey,
  UpdateApiKey,
} from "../workspaces/api-keys.ts";
import { administer, administered } from "./defaults.ts";

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
    summary: "Revoke a key for good",
    subject: ["keyId"],
    output: Success,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
