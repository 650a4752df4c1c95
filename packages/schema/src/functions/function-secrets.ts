import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { Milliseconds, text } from "../parsing/text.ts";
import { SecretName } from "./javascript-program.ts";

const name = SecretName.describe("Name of the secret, as programs write it").meta({
  example: "API_TOKEN",
});

/** A secret of a workspace, without its value. */
export const FunctionSecret = z.object({
  id: z.int().describe("Its number in the audit log").meta({ example: 17 }),
  name,
  createdAt: Milliseconds.describe("When it was first set"),
  updatedAt: Milliseconds.describe("When it was last replaced"),
});
export type FunctionSecret = z.infer<typeof FunctionSecret>;

export const FunctionSecretIdentity = WorkspaceParams.extend({ name });
export type FunctionSecretIdentity = z.output<typeof FunctionSecretIdentity>;

export const PutFunctionSecret = FunctionSecretIdentity.extend({
  // It is put into headers, and hidden in whatever code says: shorter texts would be hidden in ordinary words.
  value: text(8192, 8)
    .regex(/^[\t\x20-\x7e]+$/, { error: "must be printable ASCII" })
    .describe("The secret; no response, no event and no log contains it")
    .meta({ example: "secret-of-the-shop" }),
});
export type PutFunctionSecret = z.output<typeof PutFunctionSecret>;

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
    summary: "Set a workspace secret that functions can use",
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
