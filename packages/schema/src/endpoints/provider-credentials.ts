import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { OfWorkspace, Success } from "../params.ts";
import {
  ProviderCredential,
  ProviderCredentialIdentity,
  ProviderCredentialList,
  PutProviderCredential,
} from "../workspaces/provider-credentials.ts";
import { adminMutation, adminQuery } from "./defaults.ts";

/** Operations on a workspace's credentials for model providers. */
export const providerCredentialEndpoints = {
  "providerCredentials.put": {
    ...adminMutation,
    summary: "Set the workspace's credential for a model provider",
    subject: ["providerId"],
    input: PutProviderCredential,
    output: z.object({
      providerCredential: ProviderCredential.describe("The credential, without its secret"),
    }),
  },
  "providerCredentials.list": {
    ...adminQuery,
    summary: "List the workspace's credentials for model providers",
    input: OfWorkspace,
    output: ProviderCredentialList,
  },
  "providerCredentials.remove": {
    ...adminMutation,
    summary: "Remove the workspace's credential for a model provider",
    subject: ["providerId"],
    input: ProviderCredentialIdentity,
    output: Success,
    errors: ["workspace_not_found", "provider_credential_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
