import { callServer } from "../connection/call-server.ts";
import type { AgentDefinition } from "./definitions.ts";
import { type Applying, differencesOf, type Step } from "./plan.ts";
import { findNamed, type Planning, requireNames } from "./planning.ts";
import type { Declared } from "./read-workspace-folder.ts";
import { diffValues } from "./text-diff.ts";
import type { Read } from "./workspace-state.ts";

/** Plans the agents of the folder. */
export const planAgents = (planning: Planning): Step[] =>
  planning.declared.agents.flatMap((agent) => planAgent(planning, agent));

function planAgent(planning: Planning, { file, ...agent }: Declared<AgentDefinition>): Step[] {
  requireNames(planning, "skill", { file, names: agent.skills });
  requireNames(planning, "function", { file, names: agent.functions });
  requireNames(planning, "tool", { file, names: agent.tools });
  const { name } = agent;
  const before = findNamed(planning, "agent", { file, name, read: planning.state.agents });
  if (before === "fault") return [];
  const step = { kind: "agent", name, secrets: [] } as const;
  if (before === undefined) {
    const run = async (applying: Applying) => createAgent(applying, agent);
    return [{ ...step, action: "create", members: [], run }];
  }
  const changed = differencesOf(before.definition, agent);
  const members = changed.map((member) => {
    const of = (one: AgentDefinition) => one[member as keyof AgentDefinition];
    return { name: member, lines: diffValues(of(before.definition), of(agent)) };
  });
  const { isArchived } = before;
  if (members.length === 0 && !isArchived) return [{ ...step, action: "unchanged", members }];
  const run = async (applying: Applying) => {
    // Nobody meets it as it was.
    if (members.length > 0) await updateAgent(applying, before, agent);
    if (!isArchived) return;
    const { rpc, wId } = applying.connection;
    await callServer(rpc.agents.restore.mutate({ wId, agentId: before.id }));
  };
  return [{ ...step, action: isArchived ? "restore" : "update", members, run }];
}

function membersOf({ ids }: Pick<Applying, "ids">, agent: AgentDefinition) {
  const { skills, functions, tools, script: _script, tags, ...members } = agent;
  const idsOf = (kind: "skill" | "function" | "tool", names: readonly string[]) =>
    names.map((name) => ids[kind].get(name) ?? name);
  return {
    ...members,
    tags: [...tags],
    skillIds: idsOf("skill", skills),
    functionIds: idsOf("function", functions),
    toolIds: idsOf("tool", tools),
  };
}

async function createAgent(applying: Applying, agent: AgentDefinition): Promise<void> {
  const { rpc, wId } = applying.connection;
  const { script } = agent;
  const draft = { ...membersOf(applying, agent), ...(script !== null && { script }) };
  const creating = rpc.agents.create.mutate({ wId, ...draft });
  const { agentConfiguration } = await callServer(creating);
  applying.ids.agent.set(agent.name, agentConfiguration.sId);
}

async function updateAgent(
  applying: Applying,
  before: Read<AgentDefinition>,
  agent: AgentDefinition,
): Promise<void> {
  const { rpc, wId } = applying.connection;
  const { id: agentId, version } = before;
  const { script } = agent;
  const changes = { version, ...membersOf(applying, agent), script };
  await callServer(rpc.agents.update.mutate({ wId, agentId, ...changes }));
}
