import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
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
