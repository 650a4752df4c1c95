import { CommandError } from "../command-error.ts";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { filesOfProgram } from "../functions/function-members.ts";
import type { FunctionFolder } from "../functions/read-function-folder.ts";
import { Program } from "@parley/schema";
import { definitionOfAgent } from "./read-agents.ts";
import { readEach } from "./read-each.ts";
import { findSkills, readSkill } from "./read-skills.ts";
import { readTool } from "./read-tools.ts";
import { sortModels } from "./settings-file.ts";
import { showProgress } from "./show-progress.ts";
import type { Kind, Listed, Read, ReadSpace, WorkspaceState } from "./workspace-state.ts";

/** Says whether a thing is read as it is, and not only listed. */
export type IsWanted = (kind: Kind, one: Listed) => boolean;

/** Reads what a workspace has. Throws `CommandError` where the key may not. */
export async function readWorkspace(
  connection: ServerConnection,
  isWanted: IsWanted,
): Promise<WorkspaceState> {
  const { io, rpc, wId } = connection;
  const { session } = await callServer(rpc.session.get.query({}));
  const { role, workspace } = session;
  if (workspace === null || (role !== "admin" && role !== "builder")) {
    const key = role === "user" ? "a key of a user may not" : "an operator key is of no workspace";
    throw new CommandError(
      `Folders are for keys of builders and admins, and ${key}: set PARLEY_API_KEY to such a key`,
    );
  }
  const isAdmin = role === "admin";
  const settings = isAdmin ? await callServer(rpc.workspaces.get.query({ wId })) : undefined;
  const spaces = await readSpaces(connection, isAdmin);
  const listedTools = await Array.fromAsync(
    readPages(
      async (place) => rpc.tools.list.query({ wId, limit: 100, ...place }),
      (page) => page.tools,
    ),
  );
  const tools = listedTools.map((one) => ({
    ...one,
    name: one.tool.name,
    id: one.tool.sId,
    isArchived: false,
  }));
  const listedAgents = await Array.fromAsync(
    readPages(
      async (place) => rpc.agents.listAll.query({ wId, limit: 100, ...place }),
      (page) => page.agentConfigurations,
    ),
  );
  const agents = listedAgents.map(({ name, sId: id, status, scope }) => {
    return { name, id, isArchived: status !== "active", isBuiltIn: scope === "global" };
  });
  const listedFunctions = await Array.fromAsync(
    readPages(
      async (place) => rpc.sandboxFunctions.listAll.query({ wId, limit: 100, ...place }),
      (page) => page.sandboxFunctions,
    ),
  );
  const functions = listedFunctions.map(({ slug: name, sId: id, status }) => {
    return { name, id, isArchived: status === "archived" };
  });
  const shownAgents = await readEach(
    agents.filter((one) => !one.isBuiltIn && isWanted("agent", one)),
    async (one) => ({ ...one, shown: await getAgent(connection, one.id) }),
  );
  const skills = await findSkills(connection, {
    isAdmin,
    linked: shownAgents.flatMap(({ shown }) => shown.skillIds),
  });
  const active = (ofKind: readonly Listed[]) =>
    new Map(ofKind.flatMap((one) => (one.isArchived ? [] : [[one.id, one.name] as const])));
  const names = { skills: active(skills), functions: active(functions), tools: active(tools) };
  const { functionSecrets } = await callServer(rpc.functionSecrets.list.query({ wId }));
  const wanted = <T extends Listed>(kind: Kind, ofKind: readonly T[]) =>
    ofKind.filter((one) => isWanted(kind, one));
  const parts = [wanted("tool", tools), wanted("skill", skills), wanted("function", functions)];
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  const progress = showProgress(io, "reading", { total, unit: "things" });
  const readAll = async <T extends Listed, R>(
    kind: Kind,
    ofKind: readonly T[],
    read: (one: T) => Promise<R>,
  ): Promise<R[]> =>
    readEach(wanted(kind, ofKind), async (one) => read(one).finally(() => progress.advance(1)));
  const readThings = async () => ({
    tools: await readAll("tool", tools, async (one) => readTool(connection, one, spaces)),
    skills: await readAll("skill", skills, async (one) => readSkill(connection, one, spaces)),
    functions: await readAll("function", functions, async (one) => readFunction(connection, one)),
  });
  return {
    wId,
    name: workspace.name,
    settings: settings && {
      name: settings.name,
      region: settings.region,
      regionalModelsOnly: settings.regionalModelsOnly,
      models: sortModels(settings.models),
    },
    spaces,
    keyId: isAdmin ? await findKey(connection, session.keyName) : undefined,
    listed: { tool: tools, skill: skills, function: functions, agent: agents },
    ...(await readThings().finally(progress.stop)),
    agents: shownAgents.map(({ shown, ...one }) => definitionOfAgent(one, shown, names)),
    secretNames: new Set(functionSecrets.map(({ name }) => name)),
  };
}

const getAgent = async ({ rpc, wId }: ServerConnection, agentId: string) =>
  callServer(rpc.agents.getDefinition.query({ wId, agentId }));

/** The spaces of a workspace; for builders those that the key reaches. */
async function readSpaces({ rpc, wId }: ServerConnection, isAdmin: boolean): Promise<ReadSpace[]> {
  const spaces = isAdmin
    ? await Array.fromAsync(
        readPages(
          async (place) => rpc.spaces.listAll.query({ wId, limit: 100, ...place }),
          (page) => page.spaces,
        ),
      )
    : (await callServer(rpc.spaces.list.query({ wId }))).spaces;
  return spaces.map(({ name, sId: id, kind, isRestricted }) => {
    return { name, id, isOpen: kind === "global", isRestricted };
  });
}

/** The id of the key itself, if no other key has its name. */
async function findKey(
  { rpc, wId }: ServerConnection,
  keyName: string,
): Promise<string | undefined> {
  const { apiKeys } = await callServer(rpc.apiKeys.list.query({ wId }));
  const named = apiKeys.filter(({ name, revokedAt }) => name === keyName && revokedAt === null);
  return named.length === 1 ? named[0]?.sId : undefined;
}

async function readFunction(
  { rpc, wId }: ServerConnection,
  one: Listed,
): Promise<Read<FunctionFolder>> {
  const reading = rpc.sandboxFunctions.get.query({ wId, functionId: one.id });
  const { sandboxFunction: shown } = await callServer(reading);
  const program = Program.parse(shown.program);
  const files = filesOfProgram(program);
  const { description, timeoutMs, maxOutputBytes, maxLogLines, maxConcurrent } = shown;
  const { retryable, requiresApproval, version } = shown;
  const definition = {
    description,
    inputSchema: shown.inputSchema ?? {},
    outputSchema: shown.outputSchema ?? {},
    retryable,
    requiresApproval,
    timeoutMs,
    maxOutputBytes,
    maxLogLines,
    maxConcurrent,
    program: program.type === "javascript" ? { ...program, source: files } : program,
  };
  return { ...one, version, definition: { slug: one.name, files, definition } };
}
