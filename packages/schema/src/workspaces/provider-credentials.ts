import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { Milliseconds, text } from "../parsing/text.ts";
import { ModelService } from "./model-services.ts";

const providerId = ModelService.describe("Provider whose models it is for");

/** A credential of a workspace, without its secret. */
export const ProviderCredential = z.object({
  providerId,
  keyId: z
    .string()
    .describe("Which of the server's keys it is encrypted with")
    .meta({ example: "2026-11" }),
  createdAt: Milliseconds.describe("When the first one for this provider was set"),
  updatedAt: Milliseconds.describe("When it was last replaced"),
});
export type ProviderCredential = z.infer<typeof ProviderCredential>;

export const ProviderCredentialList = z.object({
  providerCredentials: z.array(ProviderCredential).describe("Credentials, by provider"),
});
export type ProviderCredentialList = z.infer<typeof ProviderCredentialList>;

export const ProviderCredentialIdentity = WorkspaceParams.extend({ providerId });
export type ProviderCredentialIdentity = z.output<typeof ProviderCredentialIdentity>;

export const PutProviderCredential = ProviderCredentialIdentity.extend({
  apiKey: text(4096, 1)
    // It is sent in a header.
    .regex(/^[\x21-\x7e]+$/, { error: "must be printable ASCII without spaces" })
    .describe("The secret; no response and no log contains it")
    .meta({ example: "sk-example" }),
});
export type PutProviderCredential = z.output<typeof PutProviderCredential>;

/** Operations on a workspace's credentials for model providers. */
export const providerCredentialEndpoints = {
  "providerCredentials.put": {
    ...administer({
      role: "admin",
      method: "PUT",
      path: `${administered}/provider-credentials/{providerId}`,
      input: PutProviderCredential,
    }),
    storesLittle: true,
    summary: "Set the workspace's credential for a model provider",
    subject: ["providerId"],
    output: z.object({
      providerCredential: ProviderCredential.describe("The credential, without its secret"),
    }),
  },
  "providerCredentials.list": {
    ...administer({
      role: "admin",
      method: "GET",
      path: `${administered}/provider-credentials`,
      input: WorkspaceParams,
    }),
    summary: "List the workspace's credentials for model providers",
    output: ProviderCredentialList,
  },
  "providerCredentials.remove": {
    ...administer({
      role: "admin",
      method: "DELETE",
      path: `${administered}/provider-credentials/{providerId}`,
      input: ProviderCredentialIdentity,
    }),
    summary: "Remove the workspace's credential for a model provider",
    subject: ["providerId"],
    output: Success,
    errors: ["workspace_not_found", "provider_credential_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
