import { sentKnowledge } from "./agent-knowledge.ts";
import { oneLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";
import type { AgentDefinition } from "./agent.ts";
import type { Applying } from "./kind.ts";

/** The members of an agent as requests have them, with ids in place of names. */
export function membersOf({ ids }: Applying, agent: AgentDefinition) {
  const {
    skills,
    functions,
    tools,
    team,
    script: _script,
    responseFormat: _format,
    ...members
  } = agent;
  return {
    ...members,
    knowledge: sentKnowledge(members.knowledge),
    team: team.map(({ agent: named, name, mode }) => {
      return { agentId: ids.agent.get(named) ?? named, name, mode };
    }),
    skillIds: skills.map((name) => ids.skill.get(name) ?? name),
    functionIds: functions.map((name) => ids.function.get(name) ?? name),
    toolIds: tools.map((name) => ids.tool.get(name) ?? name),
  };
}

/** Creates an agent. Of agents that name each other, the team of one is completed once all are there. */
export async function createAgent(applying: Applying, agent: AgentDefinition): Promise<string> {
  const { rpc, wId } = applying.connection;
  const { script: played, responseFormat: format } = agent;
  const own = { script: played ?? undefined, responseFormat: format ?? undefined };
  const known = agent.team.filter((mate) => applying.ids.agent.has(mate.agent));
  const draft = { wId, ...membersOf(applying, { ...agent, team: known }), ...own };
  const { agentConfiguration } = await callServer(rpc.agents.create.mutate(draft));
  const { sId: agentId, version } = agentConfiguration;
  if (known.length < agent.team.length) {
    const run = async (): Promise<void> => {
      const { team } = membersOf(applying, agent);
      await callServer(rpc.agents.update.mutate({ wId, agentId, version, team }));
    };
    applying.afterAll.push({ of: `the team of agent ${oneLine(agent.name)}`, run });
  }
  return agentId;
}
