import { callServer } from "../connection/call-server.ts";
import { CommandError } from "../command-error.ts";
import type { ConnectionDefinition, OAuthDefinition, ToolDefinition } from "./definitions.ts";
import { type Applying, differencesOf, type Step } from "./plan.ts";
import { requireSpaces } from "./plan-settings.ts";
import { findNamed, type Planning } from "./planning.ts";
import type { Declared } from "./read-workspace-folder.ts";
import { secretsIn } from "./secret-references.ts";
import { diffValues } from "./text-diff.ts";
import type { Read } from "./workspace-state.ts";

/** Plans the tools of the folder. */
export const planTools = (planning: Planning): Step[] =>
  planning.declared.tools.flatMap((tool) => planTool(planning, tool));

function planTool(planning: Planning, { file, ...tool }: Declared<ToolDefinition>): Step[] {
  if (tool.space !== undefined) requireSpaces(planning, { file, names: [tool.space] });
  const { name } = tool;
  const before = findNamed(planning, "tool", { file, name, read: planning.state.tools });
  if (before === "fault") return [];
  const step = { kind: "tool", name } as const;
  if (before === undefined) {
    const secrets = "connection" in tool ? secretsOf(tool.connection) : [];
    const run = async (applying: Applying) => createTool(applying, tool);
    return [{ ...step, action: "create", members: [], secrets, run }];
  }
  const fault = findFaultOfChange(before.definition, tool);
  if (fault !== undefined) {
    planning.faults.push({ file, message: fault });
    return [];
  }
  const members = changesOf(before.definition, tool).map((member) => {
    const of = (one: ToolDefinition) => comparable(one, before.definition)[member];
    return { name: member, lines: diffValues(of(before.definition), of(tool)) };
  });
  const names = new Set(members.map((member) => member.name));
  const needed = "connection" in tool ? neededSecrets(tool.connection, names) : [];
  const renewed = planning.renewSecrets && "connection" in tool ? secretsOf(tool.connection) : [];
  if (renewed.length > 0) members.push({ name: "secrets", lines: [] });
  const secrets = [...new Set([...needed, ...renewed])];
  if (members.length === 0) return [{ ...step, action: "unchanged", members, secrets: [] }];
  const changed = new Set(members.map((member) => member.name));
  const run = async (applying: Applying) => updateTool(applying, { before, tool, changed });
  return [{ ...step, action: "update", members, secrets, run }];
}

/** What of a tool is compared: names of headers, and a client and words only where the folder names them. */
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

const changesOf = (before: ToolDefinition, after: ToolDefinition): string[] =>
  differencesOf(comparable(before, before), comparable(after, before));

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
  return isGone && !isElsewhere ? `oauth: cannot be taken away: ${cure}` : undefined;
}

const secretsOf = ({ headers, oauth }: ConnectionDefinition): string[] =>
  [...Object.values(headers), oauth?.clientSecret ?? ""].flatMap(secretsIn);

/** Headers and clients of one URL are sent to no other, and are replaced as a whole. */
function neededSecrets(connection: ConnectionDefinition, changed: ReadonlySet<string>): string[] {
  if (changed.has("url")) return secretsOf(connection);
  const { headers, oauth } = connection;
  return [
    ...(changed.has("headers") ? Object.values(headers) : []),
    ...(changed.has("oauth") ? [oauth?.clientSecret ?? ""] : []),
  ].flatMap(secretsIn);
}

const headersOf = ({ secrets }: Applying, { headers }: ConnectionDefinition) =>
  Object.fromEntries(Object.entries(headers).map(([header, text]) => [header, secrets.fill(text)]));

const oauthOf = ({ secrets }: Applying, oauth: OAuthDefinition) => ({
  ...oauth,
  clientSecret: oauth.clientSecret && secrets.fill(oauth.clientSecret),
});

async function createTool(applying: Applying, tool: ToolDefinition): Promise<void> {
  const { connection: server, ids } = applying;
  const { rpc, wId } = server;
  const { name, space = "", isRestrictedToSkills, description } = tool;
  const spaceId = ids.space.get(space);
  if (spaceId === undefined) throw new CommandError(`The key reaches no space ${space}`);
  const about = { wId, spaceId, name, isRestrictedToSkills };
  if ("described" in tool) {
    const creating = rpc.tools.create.mutate({
      ...about,
      ...tool.described,
      description: description ?? "",
    });
    const { tool: created } = await callServer(creating);
    ids.tool.set(name, created.sId);
    return;
  }
  const { headers: _headers, oauth, ...connection } = tool.connection;
  const registering = rpc.tools.register.mutate({
    ...about,
    description,
    ...writable(connection),
    headers: headersOf(applying, tool.connection),
    oauth: oauth === null ? undefined : oauthOf(applying, oauth),
  });
  const { tool: created } = await callServer(registering);
  ids.tool.set(name, created.sId);
}

const writable = (connection: Omit<ConnectionDefinition, "headers" | "oauth">) => ({
  ...connection,
  stakes: { ...connection.stakes },
  retryableTools: [...connection.retryableTools],
});

interface ToolChange {
  readonly before: Read<ToolDefinition>;
  readonly tool: ToolDefinition;
  /** Names of the members that differ. */
  readonly changed: ReadonlySet<string>;
}

async function updateTool(applying: Applying, change: ToolChange): Promise<void> {
  const { before, tool, changed } = change;
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
    ...writable(connection),
    ...((isElsewhere || changed.has("headers")) && {
      headers: headersOf(applying, tool.connection),
    }),
    ...((isElsewhere || changed.has("oauth")) &&
      oauth !== null && { oauth: oauthOf(applying, oauth) }),
  });
  await callServer(updating);
}
