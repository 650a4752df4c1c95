import type { Endpoint } from "./endpoint.ts";
import { conversationEndpoints } from "./endpoints/conversations.ts";
import { fileEndpoints } from "./endpoints/files.ts";
import { sandboxFunctionEndpoints } from "./endpoints/sandbox-functions.ts";
import { skillEndpoints } from "./endpoints/skills.ts";
import { workspaceEndpoints } from "./endpoints/workspaces.ts";

/** Every operation of the server; REST routes, procedures and documents are made from it. */
export const endpoints = {
  ...conversationEndpoints,
  ...fileEndpoints,
  ...skillEndpoints,
  ...sandboxFunctionEndpoints,
  ...workspaceEndpoints,
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
