import { CommandError } from "@parley/command/command-error";
import type { AdministeredTool, ToolConnection } from "@parley/schema";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import {
  type Applying,
  type Change,
  isDeclaration,
  type Kind,
  type Listed,
  type Read,
  type ReadSpace,
} from "./kind.ts";
import { fillHeaders, referenceTo, secretsIn } from "./secrets.ts";
import {
  type ConnectionDefinition,
  readToolEntry,
  type ToolDefinition,
  writeTool,
} from "./tool-file.ts";

type ListedTool = Listed & AdministeredTool;

/** The tools of a workspace. */
export async function listTools({ rpc, wId }: ServerConnection): Promise<ListedTool[]> {
  const listed = await Array.fromAsync(
    readPages(
      async (place) => rpc.tools.list.query({ wId, limit: 100, ...place }),
      (page) => page.tools,
    ),
  );
  return listed.map((one) => ({
    ...one,
    name: one.tool.name,
    id: one.tool.sId,
    isArchived: false,
  }));
}

/** Reads a tool with its connection, if it has one. The secrets of that are named, because none are readable. */
export async function readTool(
  { rpc, wId, url }: ServerConnection,
  one: ListedTool,
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

/** What of a tool is compared: names of headers, and a client and words only if the folder names them. */
function comparable(
  tool: ToolDefinition,
  before: ToolDefinition,
): Readonly<Record<string, unknown>> {
  const { isRestrictedToSkills } = tool;
  const description = tool.description ?? before.description;
  if ("described" in tool) return { description, isRestrictedToSkills, ...tool.described };
  const { headers, oauth, ...connection } = tool.connection;
  const known = "connection" in before ? before.connection.oauth : null;
  return {
    description,
    isRestrictedToSkills,
    ...connection,
    headers: Object.keys(headers).toSorted(),
    oauth: oauth && {
      grant: oauth.grant,
      clientId: oauth.clientId ?? known?.clientId,
      scope: oauth.scope,
    },
  };
}

/** Why a tool cannot become what the folder declares. */
function findFaultOfChange(before: ToolDefinition, after: ToolDefinition): string | undefined {
  const cure = `remove the tool first: parley tools remove "${before.name}"`;
  if ("connection" in before !== "connection" in after) {
    return `url: the tool of the workspace is ${"connection" in before ? "called" : "described"}, which cannot change: ${cure}`;
  }
  if (before.space !== after.space) {
    return `space: a tool cannot move out of ${before.space ?? "the open space"}: ${cure}`;
  }
  if ("described" in before && "described" in after) {
    const isSame = before.described.serverType === after.described.serverType;
    return isSame ? undefined : `serverType: cannot change: ${cure}`;
  }
  if (!("connection" in before && "connection" in after)) return undefined;
  const isGone = before.connection.oauth !== null && after.connection.oauth === null;
  const isElsewhere = before.connection.url !== after.connection.url;
  return isGone && !isElsewhere ? `oauth: cannot be removed: ${cure}` : undefined;
}

/**
 * The names of the secrets that a creation of a tool needs, or a change of these members: headers and clients of one
 * URL are sent to no other, and are replaced as a whole.
 */
function neededSecrets(tool: ToolDefinition, changed?: ReadonlySet<string>): string[] {
  if (!("connection" in tool)) return [];
  const { headers, oauth } = tool.connection;
  const isSent = (member: string) =>
    changed === undefined || changed.has("url") || changed.has(member);
  return [
    ...(isSent("headers") ? Object.values(headers) : []),
    ...(isSent("oauth") ? [oauth?.clientSecret ?? ""] : []),
  ].flatMap(secretsIn);
}

const oauthOf = ({ secrets }: Applying, oauth: NonNullable<ConnectionDefinition["oauth"]>) => ({
  ...oauth,
  clientSecret: oauth.clientSecret && secrets.fill(oauth.clientSecret),
});

async function createTool(applying: Applying, tool: ToolDefinition): Promise<string> {
  const { rpc, wId } = applying.connection;
  const { name, space = "", isRestrictedToSkills, description } = tool;
  const spaceId = applying.ids.space.get(space);
  if (spaceId === undefined) throw new CommandError(`The key cannot see a space named ${space}`);
  const about = { wId, spaceId, name, isRestrictedToSkills };
  if ("described" in tool) {
    const draft = { ...about, ...tool.described, description: description ?? "" };
    return (await callServer(rpc.tools.create.mutate(draft))).tool.sId;
  }
  const { headers: _headers, oauth, ...connection } = tool.connection;
  const registering = rpc.tools.register.mutate({
    ...about,
    description,
    ...connection,
    headers: fillHeaders(applying.secrets, tool.connection.headers),
    oauth: oauth === null ? undefined : oauthOf(applying, oauth),
  });
  return (await callServer(registering)).tool.sId;
}

async function updateTool(
  applying: Applying,
  { before, after: tool, changed }: Change<ToolDefinition>,
): Promise<void> {
  const { rpc, wId } = applying.connection;
  const { id: toolId } = before;
  let { version } = before;
  const members = ["description", "isRestrictedToSkills", "server", "oAuthUseCase"];
  if (members.some((name) => changed.has(name))) {
    const { description, isRestrictedToSkills } = tool;
    const { server, oAuthUseCase } = "described" in tool ? tool.described : {};
    const about = { description, isRestrictedToSkills, server, oAuthUseCase };
    ({ version } = await callServer(rpc.tools.update.mutate({ wId, toolId, version, ...about })));
  }
  if (!("connection" in tool) || [...changed].every((name) => members.includes(name))) return;
  const { headers: _headers, oauth, ...connection } = tool.connection;
  const isElsewhere = changed.has("url") || changed.has("secrets");
  const updating = rpc.tools.updateConnection.mutate({
    wId,
    toolId,
    version,
    ...connection,
    ...((isElsewhere || changed.has("headers")) && {
      headers: fillHeaders(applying.secrets, tool.connection.headers),
    }),
    ...((isElsewhere || changed.has("oauth")) &&
      oauth !== null && { oauth: oauthOf(applying, oauth) }),
  });
  await callServer(updating);
}

export const toolKind: Kind<ToolDefinition> = {
  folder: "tools",
  nameOf: ({ name }) => name,
  isTaken: isDeclaration,
  read: readToolEntry,
  write: writeTool,
  usesOf: ({ space }) => [["space", space === undefined ? [] : [space]]],
  findFault: (after, before) => before && findFaultOfChange(before.definition, after),
  compared: comparable,
  secretsOf: neededSecrets,
  create: createTool,
  update: updateTool,
  remove: async ({ rpc, wId }, { id: toolId, version = 0 }) => {
    await callServer(rpc.tools.remove.mutate({ wId, toolId, version }));
  },
};
