import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { OfWorkspace, Success } from "../params.ts";
import {
  ApiKey,
  ApiKeyList,
  CreateApiKey,
  CreatedApiKey,
  KeyIdentity,
  UpdateApiKey,
} from "../workspaces/api-keys.ts";
import { adminMutation, adminQuery } from "./defaults.ts";

/** Operations on the keys of a workspace. */
export const apiKeyEndpoints = {
  "apiKeys.create": {
    ...adminMutation,
    summary: "Create a key",
    subject: [],
    input: CreateApiKey,
    output: CreatedApiKey,
    errors: ["workspace_not_found", "space_not_found"],
  },
  "apiKeys.list": {
    ...adminQuery,
    summary: "List the keys of a workspace",
    input: OfWorkspace,
    output: ApiKeyList,
  },
  "apiKeys.update": {
    ...adminMutation,
    summary: "Change a key's role, spaces or expiry, or disable it",
    subject: ["keyId"],
    input: UpdateApiKey,
    output: z.object({ apiKey: ApiKey.describe("The key") }),
    errors: ["workspace_not_found", "api_key_not_found", "space_not_found"],
  },
  "apiKeys.revoke": {
    ...adminMutation,
    summary: "Revoke a key for good",
    subject: ["keyId"],
    input: KeyIdentity,
    output: Success,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
