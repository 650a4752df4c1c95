import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { InvocationEvent } from "../events.ts";
import {
  AdministeredFunctionPage,
  CreateSandboxFunction,
  FunctionIdentity,
  ListAdministeredFunctions,
  OneAdministeredFunction,
  UpdateSandboxFunction,
} from "../function-administration.ts";
import { WorkspaceParams } from "../params.ts";
import {
  InvocationPage,
  InvocationParams,
  InvokedSandboxFunction,
  InvokeSandboxFunction,
  ListInvocations,
  ListSandboxFunctions,
  SandboxFunctionPage,
  SandboxFunctionParams,
} from "../sandbox-functions.ts";

const listPath = "/api/w/{wId}/sandbox-functions";
const functionPath = `${listPath}/{functionId}/invocations` as const;
const invocationPath = `${functionPath}/{invocationId}` as const;

const open = {
  kind: "json",
  status: 200,
  role: "user",
  tags: ["sandbox functions"],
  specified: false,
} as const;
const invocationErrors = [
  "sandbox_function_not_found",
  "sandbox_function_invocation_not_found",
] as const;

const change = {
  kind: "rpc",
  operation: "mutation",
  role: "builder",
  rateLimit: "operate",
  tags: ["administration"],
  output: OneAdministeredFunction,
} as const;
const ofFunction = { ...change, subject: ["functionId"] } as const;
const moveErrors = ["workspace_not_found", "sandbox_function_not_found"] as const;

/** Operations on sandbox functions and their invocations. */
export const sandboxFunctionEndpoints = {
  "sandboxFunctions.list": {
    ...open,
    summary: "List the sandbox functions that can be invoked",
    method: "GET",
    path: listPath,
    params: WorkspaceParams,
    query: ListSandboxFunctions,
    output: SandboxFunctionPage,
    rateLimit: "read",
    errors: [],
  },
  "sandboxFunctions.invoke": {
    ...open,
    summary: "Invoke a sandbox function",
    method: "POST",
    path: functionPath,
    params: SandboxFunctionParams,
    body: InvokeSandboxFunction,
    output: InvokedSandboxFunction,
    status: 201,
    rateLimit: "invoke",
    errors: ["sandbox_function_not_found"],
  },
  "sandboxFunctions.events": {
    ...open,
    kind: "stream",
    summary: "Follow an invocation of a sandbox function",
    method: "GET",
    path: `${invocationPath}/events`,
    params: InvocationParams,
    query: z.object({
      include: z
        .unknown()
        .optional()
        .transform((value) => String(value ?? "").split(","))
        .describe("Further event types, separated by commas: log, progress"),
    }),
    event: InvocationEvent,
    enveloped: false,
    rateLimit: "stream",
    errors: invocationErrors,
    specified: true,
  },
  "invocations.list": {
    ...open,
    summary: "List the invocations of a sandbox function",
    method: "GET",
    path: functionPath,
    params: SandboxFunctionParams,
    query: ListInvocations,
    output: InvocationPage,
    rateLimit: "read",
    errors: ["sandbox_function_not_found"],
  },
  "invocations.get": {
    ...open,
    summary: "Read an invocation of a sandbox function",
    method: "GET",
    path: invocationPath,
    params: InvocationParams,
    output: InvokedSandboxFunction,
    rateLimit: "read",
    errors: invocationErrors,
  },
  "invocations.cancel": {
    ...open,
    summary: "Cancel an invocation of a sandbox function",
    method: "POST",
    path: `${invocationPath}/cancel`,
    params: InvocationParams,
    output: InvokedSandboxFunction,
    rateLimit: "invoke",
    errors: invocationErrors,
  },
  "sandboxFunctions.get": {
    ...change,
    operation: "query",
    summary: "Read a sandbox function with what it does",
    input: FunctionIdentity,
    errors: moveErrors,
  },
  "sandboxFunctions.listAll": {
    ...change,
    operation: "query",
    summary: "List the sandbox functions, the archived too",
    input: ListAdministeredFunctions,
    output: AdministeredFunctionPage,
    errors: ["workspace_not_found"],
  },
  "sandboxFunctions.create": {
    ...change,
    summary: "Create a sandbox function",
    input: CreateSandboxFunction,
    subject: [],
    errors: ["workspace_not_found", "sandbox_function_already_exists"],
  },
  "sandboxFunctions.update": {
    ...ofFunction,
    summary: "Give a sandbox function a new version",
    input: UpdateSandboxFunction,
    errors: [...moveErrors, "version_conflict"],
  },
  "sandboxFunctions.archive": {
    ...ofFunction,
    summary: "Archive a sandbox function",
    input: FunctionIdentity,
    errors: moveErrors,
  },
  "sandboxFunctions.restore": {
    ...ofFunction,
    summary: "Let an archived sandbox function be invoked again",
    input: FunctionIdentity,
    errors: moveErrors,
  },
} as const satisfies Record<string, Endpoint>;
