import type { AdministeredTool, ToolConnection } from "@parley/schema";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import type { ConnectionDefinition, ToolDefinition } from "./definitions.ts";
import { referenceTo } from "./secret-references.ts";
import type { Listed, Read, ReadSpace } from "./workspace-state.ts";

/** Reads a tool with its connection, if it has one. The secrets of that are named, because none are readable. */
export async function readTool(
  { rpc, wId, url }: ServerConnection,
  one: Listed & AdministeredTool,
  spaces: readonly ReadSpace[],
): Promise<Read<ToolDefinition>> {
  const { name, id, isArchived } = one;
  const reading = callServer(rpc.tools.getConnection.query({ wId, toolId: id }));
  const shown = await reading.catch((error: unknown) => {
    // One that is only described has none.
    if (errorTypeOf(error) === "tool_not_found") return one;
    throw error;
  });
  const { tool, version } = shown;
  const space = spaces.find((known) => known.id === tool.spaceId);
  const members = {
    name,
    description: tool.description,
    space: space?.isOpen ? undefined : (space?.name ?? tool.spaceId),
    isRestrictedToSkills: tool.isRestrictedToSkills,
  };
  const read = { name, id, isArchived, version };
  if ("connection" in shown) {
    return {
      ...read,
      definition: { ...members, connection: connectionOf(name, shown.connection) },
    };
  }
  const { serverType, server, oAuthUseCase } = tool;
  const { documentationUrl } = server;
  // Parley's own documentation, which is another's on another server.
  const isOwn = documentationUrl === `${new URL(url).origin}/docs`;
  const described = {
    serverType,
    oAuthUseCase,
    server: { ...server, documentationUrl: isOwn ? "" : documentationUrl },
  };
  return { ...read, definition: { ...members, described } };
}

function connectionOf(name: string, connection: ToolConnection): ConnectionDefinition {
  const { headerNames, oauth } = connection;
  const headers = headerNames.map((header) => [header, referenceTo(name, header)] as const);
  return {
    url: connection.url,
    headers: Object.fromEntries(headers),
    oauth: oauth && {
      grant: oauth.grant,
      clientId: oauth.clientId,
      clientSecret:
        oauth.grant === "client_credentials" ? referenceTo(name, "client secret") : undefined,
      scope: oauth.scope,
    },
    defaultStake: connection.defaultStake,
    stakes: connection.stakes,
    retryableTools: connection.retryableTools,
    timeoutMs: connection.timeoutMs,
    maxConcurrent: connection.maxConcurrent,
  };
}
