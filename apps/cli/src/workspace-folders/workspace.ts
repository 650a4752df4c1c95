import { CommandError } from "@parley/command/command-error";
import { showProgress } from "@parley/command/progress";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readEach, readPages } from "../connection/read-pages.ts";
import { listAlerts, readAlert } from "./alert.ts";
import { readShownAgent } from "./agent.ts";
import type { NamedDataSource } from "./agent-knowledge.ts";
import { listAgents } from "./list-agents.ts";
import { listFunctions, readFunction } from "./function.ts";
import type { KindName, Listed } from "./kind.ts";
import type { WorkspaceState } from "./kinds.ts";
import { listSchedules, readShownSchedule } from "./schedule.ts";
import { readSettings } from "./settings.ts";
import { listSkills, readSkill } from "./skill.ts";
import { listTools, readTool } from "./tool.ts";
import { listTriggers, readShownTrigger } from "./trigger.ts";
import { listTraceDestinations, readTraceDestination } from "./trace-destination.ts";
import { listWebhooks, readWebhook } from "./webhook.ts";

/** Says whether a thing is read as it is, and not only listed. */
type IsWanted = (kind: KindName, one: Listed) => boolean;

/** Reads what a workspace has. Throws `CommandError` if the key may not. */
export async function readWorkspace(
  connection: ServerConnection,
  isWanted: IsWanted,
): Promise<WorkspaceState> {
  const { io, rpc, wId } = connection;
  const { session } = await callServer(rpc.session.get.query({}));
  const { role, workspace } = session;
  if (workspace === null || (role !== "admin" && role !== "builder")) {
    const key =
      role === "user"
        ? "a user key cannot use them"
        : "an operator key does not belong to a workspace";
    throw new CommandError(
      `Folders need a builder or admin key (${key}): set PARLEY_API_KEY to one`,
    );
  }
  const settings = await readSettings(connection, { ...session, workspace });
  const { spaces } = settings;
  const tools = await listTools(connection);
  const agents = await listAgents(connection);
  const functions = await listFunctions(connection);
  const schedules = await listSchedules(connection);
  const triggers = await listTriggers(connection);
  const shownAgents = await readEach(
    agents.filter((one) => !one.isBuiltIn && isWanted("agent", one)),
    async (one) => {
      const reading = rpc.agents.getDefinition.query({ wId, agentId: one.id });
      return { one, shown: await callServer(reading) };
    },
  );
  const skills = await listSkills(connection, {
    isAdmin: role === "admin",
    linked: shownAgents.flatMap(({ shown }) => shown.skillIds),
  });
  const administered = { isAdmin: role === "admin" };
  const webhooks = await listWebhooks(connection, administered);
  const alerts = await listAlerts(connection, administered);
  const traceDestinations = await listTraceDestinations(connection, administered);
  const { functionSecrets } = await callServer(rpc.functionSecrets.list.query({ wId }));
  const wanted = <T extends Listed>(kind: KindName, ofKind: readonly T[]) =>
    ofKind.filter((one) => isWanted(kind, one));
  const things = {
    tool: wanted("tool", tools),
    skill: wanted("skill", skills),
    function: wanted("function", functions),
  };
  const total = Object.values(things).flat().length;
  const progress = showProgress(io, "reading", { total, unit: "things" });
  const readAll = async <T, R>(ofKind: readonly T[], read: (one: T) => Promise<R>): Promise<R[]> =>
    readEach(ofKind, async (one) => read(one).finally(() => progress.advance(1)));
  const readThings = async () => ({
    tool: await readAll(things.tool, async (one) => readTool(connection, one, spaces)),
    skill: await readAll(things.skill, async (one) => readSkill(connection, one, spaces)),
    function: await readAll(things.function, async (one) => readFunction(connection, one)),
  });
  const listed = {
    tool: tools,
    skill: skills,
    function: functions,
    agent: agents,
    schedule: schedules,
    trigger: triggers,
    webhook: webhooks,
    alert: alerts,
    "trace destination": traceDestinations,
  };
  const active = (ofKind: readonly Listed[]) =>
    new Map(ofKind.flatMap((one) => (one.isArchived ? [] : [[one.id, one.name] as const])));
  const names = {
    skill: active(skills),
    function: active(functions),
    tool: active(tools),
    agent: active(agents),
  };
  return {
    wId,
    ...settings,
    listed,
    read: {
      ...(await readThings().finally(progress.stop)),
      agent: shownAgents.map(({ one, shown }) => readShownAgent(one, shown, names)),
      schedule: wanted("schedule", schedules).map((one) =>
        readShownSchedule(one, { agents, functions, spaces }),
      ),
      trigger: wanted("trigger", triggers).map((one) =>
        readShownTrigger(one, { agents, functions, spaces }),
      ),
      webhook: wanted("webhook", webhooks).map((one) => readWebhook(one, listed)),
      alert: wanted("alert", alerts).map((one) => readAlert(one, agents)),
      "trace destination": wanted("trace destination", traceDestinations).map(readTraceDestination),
    },
    dataSources: await listDataSources(connection),
    secretNames: new Set(functionSecrets.map(({ name }) => name)),
  };
}

async function listDataSources({ rpc, wId }: ServerConnection): Promise<NamedDataSource[]> {
  const listed = await Array.fromAsync(
    readPages(
      async (place) => rpc.dataSourceViews.list.query({ wId, limit: 100, ...place }),
      (page) => page.dataSourceViews,
    ),
  );
  return listed.map(({ dataSourceId: id, name }) => ({ id, name }));
}
