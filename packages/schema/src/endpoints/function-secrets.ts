import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import {
  FunctionSecret,
  FunctionSecretIdentity,
  PutFunctionSecret,
} from "../functions/function-secrets.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { administer, administered } from "./defaults.ts";

const path = `${administered}/function-secrets`;

/** Operations on the secrets that the code of functions uses. */
export const functionSecretEndpoints = {
  "functionSecrets.put": {
    ...administer({
      role: "builder",
      method: "PUT",
      path: `${path}/{name}`,
      input: PutFunctionSecret,
    }),
    storesLittle: true,
    summary: "Set a secret of the workspace that the code of functions may use",
    // By its number: names may be secrets, and the audit log outlives them.
    subject: [],
    output: z.object({
      functionSecret: FunctionSecret.describe("The secret, without its value"),
    }),
  },
  "functionSecrets.list": {
    ...administer({ role: "builder", method: "GET", path, input: WorkspaceParams }),
    summary: "List the names of the workspace's secrets",
    output: z.object({
      functionSecrets: z.array(FunctionSecret).describe("Secrets, by name, without their values"),
    }),
  },
  "functionSecrets.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${path}/{name}`,
      input: FunctionSecretIdentity,
    }),
    summary: "Remove a secret of the workspace",
    subject: [],
    output: Success,
    errors: ["workspace_not_found", "sandbox_function_secret_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
