import * as z from "zod";
import { OfWorkspace } from "./params.ts";
import { Milliseconds, text } from "./text.ts";

/** Services that models run on, by the ids of their providers. */
export const ModelService = z.enum([
  "openai",
  "anthropic",
  "mistral",
  "google_ai_studio",
  "deepseek",
  "fireworks",
  "xai",
  "openai_compatible",
]);
export type ModelService = z.infer<typeof ModelService>;

const providerId = ModelService.describe("Provider whose models it is for");

/** A credential of a workspace, without its secret. */
export const ProviderCredential = z.object({
  providerId,
  keyId: z.string().describe("Which of the server's keys it is encrypted with"),
  createdAt: Milliseconds.describe("When there was first one for this provider"),
  updatedAt: Milliseconds.describe("When it was last replaced"),
});
export type ProviderCredential = z.infer<typeof ProviderCredential>;

export const ProviderCredentialList = z.object({
  providerCredentials: z.array(ProviderCredential).describe("Credentials, by provider"),
});
export type ProviderCredentialList = z.infer<typeof ProviderCredentialList>;

export const ProviderCredentialIdentity = OfWorkspace.extend({ providerId });
export type ProviderCredentialIdentity = z.output<typeof ProviderCredentialIdentity>;

export const PutProviderCredential = ProviderCredentialIdentity.extend({
  apiKey: text(4096, 1)
    // It travels in a header.
    .regex(/^[\x21-\x7e]+$/, { error: "must be printable ASCII without spaces" })
    .describe("The secret; no answer and no log ever holds it"),
});
export type PutProviderCredential = z.output<typeof PutProviderCredential>;
