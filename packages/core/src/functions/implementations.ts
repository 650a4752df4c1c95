import type { Implementations } from "../implementation.ts";
import {
  archiveSandboxFunction,
  createSandboxFunction,
  readSandboxFunction,
  restoreSandboxFunction,
  updateSandboxFunction,
} from "./function-administration.ts";
import {
  listFunctionSecrets,
  putFunctionSecret,
  removeFunctionSecret,
} from "./function-secrets.ts";
import { listAdministeredFunctions, listSandboxFunctions } from "./list-functions.ts";
import { listFunctionVersions } from "./list-versions.ts";

/** The endpoints that are implemented here. */
export const functionImplementations = {
  "functionSecrets.list": listFunctionSecrets,
  "functionSecrets.put": putFunctionSecret,
  "functionSecrets.remove": removeFunctionSecret,
  "sandboxFunctions.archive": archiveSandboxFunction,
  "sandboxFunctions.create": createSandboxFunction,
  "sandboxFunctions.get": readSandboxFunction,
  "sandboxFunctions.list": listSandboxFunctions,
  "sandboxFunctions.listAll": listAdministeredFunctions,
  "sandboxFunctions.listVersions": listFunctionVersions,
  "sandboxFunctions.restore": restoreSandboxFunction,
  "sandboxFunctions.update": updateSandboxFunction,
} satisfies Implementations;
