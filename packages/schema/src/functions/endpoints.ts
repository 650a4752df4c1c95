import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  AdministeredFunctionPage,
  CreateSandboxFunction,
  FunctionIdentity,
  FunctionVersionPage,
  ListAdministeredFunctions,
  ListFunctionVersions,
  OneAdministeredFunction,
  UpdateSandboxFunction,
} from "./function-administration.ts";

const one = {
  output: OneAdministeredFunction,
  errors: ["workspace_not_found", "sandbox_function_not_found"],
} as const;
const change = { ...one, subject: ["functionId"] } as const;
const functions = `${administered}/sandbox-functions` as const;
const administeredFunction = `${functions}/{functionId}` as const;

/** Operations on sandbox functions, for those who administer them. */
export const functionAdministrationEndpoints = {
  "sandboxFunctions.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: administeredFunction,
      input: FunctionIdentity,
    }),
    ...one,
    summary: "Read a sandbox function and its program",
  },
  "sandboxFunctions.listVersions": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administeredFunction}/versions`,
      input: ListFunctionVersions,
    }),
    ...one,
    summary: "List the versions of a sandbox function and their programs, newest first",
    output: FunctionVersionPage,
  },
  "sandboxFunctions.listAll": {
    ...administer({
      role: "builder",
      method: "GET",
      path: functions,
      input: ListAdministeredFunctions,
    }),
    summary: "List the sandbox functions, including archived ones",
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
    summary: "Update a sandbox function, which creates a new version",
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
    summary: "Restore an archived sandbox function",
  },
} as const satisfies Record<string, Endpoint>;
