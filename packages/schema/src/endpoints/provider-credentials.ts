import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams, Success } from "../params.ts";
import {
  ProviderCredential,
  ProviderCredentialIdentity,
  ProviderCredentialList,
  PutProviderCredential,
} from "../workspaces/provider-credentials.ts";
import { administer, administered } from "./defaults.ts";

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
