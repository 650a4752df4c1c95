import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { exampleOf } from "../examples.ts";
import {
  AdministeredFunctionPage,
  CreateSandboxFunction,
  FunctionIdentity,
  ListAdministeredFunctions,
  OneAdministeredFunction,
  UpdateSandboxFunction,
} from "../functions/function-administration.ts";
import {
  InvocationParams,
  ListSandboxFunctions,
  SandboxFunctionPage,
  SandboxFunctionParams,
} from "../functions/sandbox-functions.ts";
import { InvocationEvent } from "../invocations/invocation-events.ts";
import {
  Invocation,
  InvocationPage,
  InvokedSandboxFunction,
  InvokeSandboxFunction,
  ListInvocations,
} from "../invocations/invocations.ts";
import { WorkspaceParams } from "../params.ts";
import { builderMutation, builderQuery, get, post, stream } from "./defaults.ts";

const listPath = "/api/w/{wId}/sandbox-functions";
const functionPath = `${listPath}/{functionId}/invocations` as const;
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

const administered = {
  output: OneAdministeredFunction,
  errors: ["workspace_not_found", "sandbox_function_not_found"],
} as const;
const change = { ...builderMutation, ...administered, subject: ["functionId"] } as const;

/** Operations on sandbox functions and their invocations. */
export const sandboxFunctionEndpoints = {
  "sandboxFunctions.list": {
    ...get,
    tags,
    scope: "functions:invoke",
    summary: "List the sandbox functions that can be invoked",
    path: listPath,
    params: WorkspaceParams,
    query: ListSandboxFunctions,
    output: SandboxFunctionPage,
  },
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
    query: z.object({
      include: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .transform((value = "") => String(value).split(","))
        .describe("Further event types, separated by commas: log, progress")
        .meta({ example: "log,progress" }),
    }),
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
  "sandboxFunctions.get": {
    ...builderQuery,
    ...administered,
    summary: "Read a sandbox function with what it does",
    input: FunctionIdentity,
  },
  "sandboxFunctions.listAll": {
    ...builderQuery,
    summary: "List the sandbox functions, the archived too",
    input: ListAdministeredFunctions,
    output: AdministeredFunctionPage,
  },
  "sandboxFunctions.create": {
    ...change,
    summary: "Create a sandbox function",
    input: CreateSandboxFunction,
    subject: [],
    errors: ["workspace_not_found", "sandbox_function_already_exists"],
  },
  "sandboxFunctions.update": {
    ...change,
    summary: "Give a sandbox function a new version",
    input: UpdateSandboxFunction,
    errors: [...administered.errors, "version_conflict"],
  },
  "sandboxFunctions.archive": {
    ...change,
    summary: "Archive a sandbox function",
    input: FunctionIdentity,
  },
  "sandboxFunctions.restore": {
    ...change,
    summary: "Let an archived sandbox function be invoked again",
    input: FunctionIdentity,
  },
} as const satisfies Record<string, Endpoint>;
