import * as z from "zod";
import { get, post, stream } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { exampleOf } from "../examples.ts";
import { include } from "../parsing/include.ts";
import { InvocationEvent } from "./invocation-events.ts";
import {
  Invocation,
  InvocationPage,
  InvocationParams,
  InvokedSandboxFunction,
  InvokeSandboxFunction,
  ListInvocations,
  SandboxFunctionParams,
} from "./invocations.ts";

const functionPath = "/api/w/{wId}/sandbox-functions/{functionId}/invocations";
const invocationPath = `${functionPath}/{invocationId}` as const;

const tags = ["sandbox functions"] as const;
const ofFunction = {
  tags,
  path: functionPath,
  params: SandboxFunctionParams,
  errors: ["sandbox_function_not_found"],
} as const;
const ofInvocation = {
  tags,
  path: invocationPath,
  params: InvocationParams,
  errors: ["sandbox_function_not_found", "sandbox_function_invocation_not_found"],
} as const;

/** Operations on invocations of sandbox functions. */
export const invocationEndpoints = {
  "sandboxFunctions.invoke": {
    ...post,
    ...ofFunction,
    scope: "functions:invoke",
    summary: "Invoke a sandbox function",
    body: InvokeSandboxFunction,
    output: InvokedSandboxFunction,
    status: 201,
    rateLimit: "invoke",
  },
  "sandboxFunctions.events": {
    ...stream,
    ...ofInvocation,
    scope: "functions:invoke",
    summary: "Follow an invocation of a sandbox function",
    path: `${invocationPath}/events`,
    query: z.object({ include: include(["log", "progress"]) }),
    event: InvocationEvent,
    enveloped: false,
    specified: true,
  },
  "invocations.list": {
    ...get,
    ...ofFunction,
    scope: "functions:invoke",
    summary: "List the invocations of a sandbox function",
    query: ListInvocations,
    output: InvocationPage,
  },
  "invocations.get": {
    ...get,
    ...ofInvocation,
    scope: "functions:invoke",
    summary: "Read an invocation of a sandbox function",
    output: InvokedSandboxFunction,
  },
  "invocations.cancel": {
    ...post,
    ...ofInvocation,
    scope: "functions:invoke",
    storesLittle: true,
    summary: "Cancel an invocation of a sandbox function",
    path: `${invocationPath}/cancel`,
    output: InvokedSandboxFunction.meta({
      example: {
        invocation: { ...exampleOf(Invocation), status: "errored" },
        outcome: {
          status: "errored",
          error: { code: "cancelled", message: "The invocation was cancelled" },
        },
      },
    }),
    rateLimit: "invoke",
  },
} as const satisfies Record<string, Endpoint>;
