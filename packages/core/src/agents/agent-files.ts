/** Agents as files in YAML. What was exported imports to an equal agent. */
import { agents, type Queryable, sandboxFunctions, skills, tools } from "@parley/db";
import {
  AgentDefinition,
  cleanJson,
  formatPath,
  type ImportAgent,
  type ImportedAgent,
  invalidRequest,
  looksUp,
  parseJson,
  SimulatedScript,
  type Team,
} from "@parley/schema";
import { and, eq, inArray, isNull, or } from "drizzle-orm";
import { reachesSkill } from "../access/skill-reach.ts";
import type { Context } from "../context.ts";
import type { AgentRow } from "../data-access/rows.ts";
import type { ReadableFile } from "../files/files.ts";
import { readableText } from "../files/readable-text.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { createParseYaml, createWriteYaml } from "../skills/folders/read-front-matter.ts";
import { isReachedServer } from "../tools/tool-administration.ts";
import { threadOptions } from "../untrusted/threads.ts";
import { requireAgentModels } from "../workspaces/models.ts";
import { findGrantedFunctions, findGrantedSkills, findGrantedTools } from "./agent-grants.ts";
import { showModels } from "./agent-models.ts";
import { noSuchAgent } from "./agents.ts";
import { showInstructions, storeInstructions } from "./instruction-columns.ts";
import { readAgent } from "./read-agents.ts";
import { requireUsableFormat } from "./response-formats.ts";
import { findActive, requireTeam } from "./teams.ts";
import { insertAgent, insertVersion, requireAgent } from "./write-agents.ts";

/**
 * Reads an agent as a file in YAML, with its functions and those of its skills that the caller reaches.
 * Throws `agent_not_found`.
 */
export async function exportAgent(
  context: Context,
  { sId }: { sId: string },
): Promise<ReadableFile> {
  const { db } = context.database;
  const agent = await findCurrent(db, context, sId);
  if (agent === undefined) throw noSuchAgent();
  const granted = await findGrantedSkills(context, db, agent.id);
  const functions = await findGrantedFunctions(db, agent.id);
  const servers = await findGrantedTools(context, db, agent.id);
  const { providerId, modelId, temperature, reasoningEffort, script, asksUser, tags } = agent;
  const { responseFormat } = agent;
  const fallbackModels = showModels(agent.fallbackModels);
  const instructions = showInstructions(agent);
  const definition = {
    sId: agent.sid,
    name: agent.name,
    description: agent.description,
    ...(instructions !== null && { instructions }),
    ...(agent.pictureUrl !== "" && { pictureUrl: agent.pictureUrl }),
    scope: agent.scope,
    model: {
      providerId,
      modelId,
      temperature,
      ...(reasoningEffort !== null && { reasoningEffort }),
    },
    ...(fallbackModels.length > 0 && { fallbackModels }),
    maxStepsPerRun: agent.maxStepsPerRun,
    skills: granted.flatMap(({ sid, isReached }) => (isReached ? sid : [])),
    functions: functions.map(({ slug }) => slug),
    tools: servers.flatMap(({ sid, isReached }) => (isReached ? sid : [])),
    asksUser,
    ...(agent.team.length > 0 && { team: agent.team }),
    ...(agent.compaction !== null && { compaction: agent.compaction }),
    ...(looksUp(agent.knowledge) && { knowledge: agent.knowledge }),
    ...(agent.memory !== null && { memory: agent.memory }),
    ...(responseFormat !== null && { responseFormat }),
    ...(tags.length > 0 && { tags }),
    ...(script !== null && { script: JSON.stringify(script) }),
  };
  const writeYaml = createWriteYaml(context.threads, threadOptions(context));
  return readableText(await writeYaml(definition), {
    contentType: "application/yaml; charset=utf-8",
    fileName: `${agent.sid}.yaml`,
  });
}

/**
 * Imports an agent from YAML: a new version of the agent that it names, or else a new agent. Skills and
 * functions that the caller's workspace does not have are left out. Throws `invalid_request_error` for
 * what is not a definition of an agent, and `model_disabled`.
 */
export async function importAgent(
  context: KeyedContext,
  { yaml }: ImportAgent,
): Promise<ImportedAgent> {
  const { definition, script } = await readDefinition(context, yaml);
  const { workspace } = context.caller;
  const { fallbackModels = [] } = definition;
  requireAgentModels(workspace, definition.model, fallbackModels);
  const format = await requireUsableFormat(
    context,
    definition.responseFormat,
    "yaml.responseFormat",
  );
  const { sId: named = "" } = definition;
  const { db: outside } = context.database;
  const known = await findCurrent(outside, context, named);
  const id = known?.sid ?? context.newId();
  return inTransactionOnce(context, { id }, async ({ db, afterCommit, markCreated }) => {
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const { skippedActions, team, ...grants } = await findGrants(db, context, definition);
    const { asksUser = false, tags = [], compaction, knowledge, memory } = definition;
    const { name, description, instructions, pictureUrl, model, maxStepsPerRun } = definition;
    const scope = definition.scope === "hidden" ? "hidden" : "visible";
    markCreated(id);
    if (known === undefined) {
      const draft = { name, description, instructions, pictureUrl, model, maxStepsPerRun };
      const chosen = {
        scope,
        fallbackModels,
        script,
        asksUser,
        team,
        compaction,
        knowledge,
        memory,
        tags,
      } as const;
      const granted = { ...draft, ...chosen, responseFormat: format, ...grants };
      const { agentConfiguration } = await insertAgent(context, db, {
        workspace,
        draft: granted,
        sid: id,
      });
      return { agentConfiguration, skippedActions };
    }
    const before = await requireAgent(db, workspace.id, id);
    const changes: Partial<AgentRow> = {
      name,
      description,
      ...storeInstructions(instructions ?? null, before),
      pictureUrl: pictureUrl ?? "",
      // Built-in agents stay what they are.
      scope: before.scope === "global" ? "global" : scope,
      providerId: model.providerId,
      modelId: model.modelId,
      temperature: model.temperature ?? before.temperature,
      reasoningEffort: model.reasoningEffort ?? null,
      fallbackModels,
      maxStepsPerRun: maxStepsPerRun ?? before.maxStepsPerRun,
      script: script ?? null,
      asksUser,
      team,
      compaction: compaction ?? null,
      knowledge: knowledge ?? null,
      memory: memory ?? null,
      responseFormat: format ?? null,
      tags,
    };
    await requireTeam(db, { ...before, team });
    const version = { before, changes, ...grants };
    const { agentConfiguration } = await insertVersion(context, db, version);
    return { agentConfiguration, skippedActions };
  });
}

/** Replays an import, with what would be left out now. */
export async function replayAgentImport(
  context: Context,
  { yaml }: ImportAgent,
  createdId: string,
): Promise<ImportedAgent> {
  const { definition } = await readDefinition(context, yaml);
  const { skippedActions } = await findGrants(context.database.db, context, definition);
  const { agentConfiguration } = await readAgent(context, createdId);
  return { agentConfiguration, skippedActions };
}

async function findCurrent(
  db: Queryable,
  { caller }: Context,
  sid: string,
): Promise<AgentRow | undefined> {
  const ofAgent = and(eq(agents.workspaceId, caller.workspace.id), eq(agents.sid, sid));
  const [row] = await db
    .select()
    .from(agents)
    .where(and(ofAgent, eq(agents.isCurrent, true)));
  return row;
}

async function readDefinition(
  context: Context,
  yaml: string,
): Promise<{ definition: AgentDefinition; script: SimulatedScript | undefined }> {
  const parseYaml = createParseYaml(context.threads, threadOptions(context));
  const read = await parseYaml(yaml);
  if ("fault" in read) throw invalidRequest("body", [{ path: "yaml", message: read.fault }]);
  const parsed = AgentDefinition.safeParse(read.value);
  if (!parsed.success) throw invalidYaml("yaml", parsed.error.issues);
  const { script } = parsed.data;
  if (script === undefined) return { definition: parsed.data, script: undefined };
  const played = SimulatedScript.safeParse(cleanJson(parseJson(script)));
  if (!played.success) throw invalidYaml("yaml.script", played.error.issues);
  return { definition: parsed.data, script: played.data };
}

function invalidYaml(
  path: string,
  issues: readonly { path: PropertyKey[]; message: string }[],
): Error {
  const named = issues.slice(0, 20).map((issue) => {
    const member = issue.path.length === 0 ? path : `${path}.${formatPath(issue.path)}`;
    return { path: member, message: issue.message };
  });
  return invalidRequest("body", named);
}

/** The ids of what an agent is granted. */
interface FoundGrants {
  readonly skillIds: string[];
  readonly functionIds: string[];
  readonly toolIds: string[];
  readonly team: Team;
}

/** The skills, functions and tools of a definition that there are, and why the others are left out. */
async function findGrants(
  db: Queryable,
  { caller }: Context,
  definition: AgentDefinition,
): Promise<Pick<ImportedAgent, "skippedActions"> & FoundGrants> {
  const { workspace } = caller;
  const {
    skills: skillNames = [],
    functions: functionNames = [],
    tools: toolNames = [],
    team: named = [],
  } = definition;
  const foundSkills = await db
    .select({ sid: skills.sid })
    .from(skills)
    .where(
      and(
        eq(skills.workspaceId, workspace.id),
        inArray(skills.sid, skillNames),
        reachesSkill(caller),
      ),
    );
  const { sid, slug } = sandboxFunctions;
  const foundFunctions = await db
    .select({ sid, slug })
    .from(sandboxFunctions)
    .where(
      and(
        eq(sandboxFunctions.workspaceId, workspace.id),
        eq(sandboxFunctions.status, "active"),
        isNull(sandboxFunctions.toolId),
        or(inArray(sid, functionNames), inArray(slug, functionNames)),
      ),
    );
  const ofTools = and(eq(tools.workspaceId, workspace.id), inArray(tools.sid, toolNames));
  const foundTools = await db
    .select({ sid: tools.sid })
    .from(tools)
    .where(and(ofTools, isReachedServer(caller)));
  const members = named.map(({ agentId }) => agentId);
  const active = await findActive(db, workspace.id, members);
  const known = new Set([
    ...foundTools.map((row) => row.sid),
    ...foundSkills.map((row) => row.sid),
    ...foundFunctions.flatMap((row) => [row.sid, row.slug]),
  ]);
  const left = [
    ...skillNames.map((name) => ({ name, reason: "The workspace has no such skill" })),
    ...functionNames.map((name) => ({ name, reason: "The workspace has no such function" })),
    ...toolNames.map((name) => ({ name, reason: "The workspace has no such tool" })),
  ];
  return {
    skillIds: skillNames.filter((name) => known.has(name)),
    functionIds: functionNames.filter((name) => known.has(name)),
    toolIds: toolNames.filter((name) => known.has(name)),
    team: named.filter(({ agentId }) => active.has(agentId)),
    skippedActions: [
      ...left.filter(({ name }) => !known.has(name)),
      ...members
        .filter((name) => !active.has(name))
        .map((name) => ({ name, reason: "The workspace has no such active agent" })),
    ],
  };
}
