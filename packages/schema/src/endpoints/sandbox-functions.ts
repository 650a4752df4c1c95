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
import { FunctionVersionPage, ListFunctionVersions } from "../functions/function-versions.ts";
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
import { administer, administered, get, post, stream } from "./defaults.ts";

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

const one = {
  output: OneAdministeredFunction,
  errors: ["workspace_not_found", "sandbox_function_not_found"],
} as const;
const change = { ...one, subject: ["functionId"] } as const;
const functions = `${administered}/sandbox-functions` as const;
const administeredFunction = `${functions}/{functionId}` as const;

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
  "sandboxFunctions.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: administeredFunction,
      input: FunctionIdentity,
    }),
    ...one,
    summary: "Read a sandbox function with what it does",
  },
  "sandboxFunctions.listVersions": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administeredFunction}/versions`,
      input: ListFunctionVersions,
    }),
    ...one,
    summary: "List the versions of a sandbox function with what each does, the newest first",
    output: FunctionVersionPage,
  },
  "sandboxFunctions.listAll": {
    ...administer({
      role: "builder",
      method: "GET",
      path: functions,
      input: ListAdministeredFunctions,
    }),
    summary: "List the sandbox functions, the archived too",
    output: AdministeredFunctionPage,
  },
  "sandboxFunctions.create": {
    ...administer({
      role: "builder",
      method: "POST",
      path: functions,
      input: CreateSandboxFunction,
    }),
    ...change,
    summary: "Create a sandbox function",
    subject: [],
    errors: ["workspace_not_found", "sandbox_function_already_exists"],
  },
  "sandboxFunctions.update": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: administeredFunction,
      input: UpdateSandboxFunction,
    }),
    ...change,
    summary: "Give a sandbox function a new version",
    errors: [...one.errors, "version_conflict"],
  },
  "sandboxFunctions.archive": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administeredFunction}/archive`,
      input: FunctionIdentity,
    }),
    ...change,
    storesLittle: true,
    summary: "Archive a sandbox function",
  },
  "sandboxFunctions.restore": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administeredFunction}/restore`,
      input: FunctionIdentity,
    }),
    ...change,
    storesLittle: true,
    summary: "Let an archived sandbox function be invoked again",
  },
} as const satisfies Record<string, Endpoint>;
