import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { InvocationEvent } from "../events.ts";
import {
  InvokedSandboxFunction,
  InvokeSandboxFunction,
  SandboxFunctionParams,
} from "../sandbox-functions.ts";
import { Reference } from "../text.ts";

const functionPath = "/api/w/{wId}/sandbox-functions/{functionId}/invocations";

/** Operations on sandbox functions and their invocations. */
export const sandboxFunctionEndpoints = {
  "sandboxFunctions.invoke": {
    kind: "json",
    summary: "Invoke a sandbox function",
    method: "POST",
    path: functionPath,
    params: SandboxFunctionParams,
    body: InvokeSandboxFunction,
    output: InvokedSandboxFunction,
    status: 201,
    role: "user",
    rateLimit: "invoke",
    errors: ["sandbox_function_not_found"],
    tags: ["sandbox functions"],
    specified: false,
  },
  "sandboxFunctions.events": {
    kind: "stream",
    summary: "Follow an invocation of a sandbox function",
    method: "GET",
    path: `${functionPath}/{invocationId}/events`,
    params: SandboxFunctionParams.extend({
      invocationId: Reference.describe("Id of the invocation"),
    }),
    query: z.object({
      include: z
        .unknown()
        .optional()
        .transform((value) => String(value ?? "").split(","))
        .describe("Further event types, separated by commas: log, progress"),
    }),
    event: InvocationEvent,
    status: 200,
    role: "user",
    rateLimit: "stream",
    errors: ["sandbox_function_not_found", "sandbox_function_invocation_not_found"],
    tags: ["sandbox functions"],
    specified: true,
  },
} as const satisfies Record<string, Endpoint>;
