import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine } from "@parley/command/print";
import { agentMessages, type Output } from "parley-client";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { chooseOne } from "../terminal/choose-one.ts";

/** An agent that may be named. */
export type NamedAgent = Pick<
  Output<"agents.list">["agentConfigurations"][number],
  "sId" | "name" | "description"
>;

/** The agents that can be asked, by name. */
export async function listAgents({ parley }: ServerConnection): Promise<readonly NamedAgent[]> {
  return (await callServer(parley.agents.list({}))).agentConfigurations;
}

/** The agent with an id, or else with a name. Throws `CommandError` if there is none, or several have it. */
export function chooseAgent(agents: readonly NamedAgent[], reference: string): NamedAgent {
  const byId = agents.filter(({ sId }) => sId === reference);
  const named = byId.length === 1 ? byId : agents.filter(({ name }) => name === reference);
  const [agent] = named;
  if (agent !== undefined && named.length === 1) return agent;
  throw new CommandError(
    agent === undefined
      ? `No agent named "${oneLine(reference)}". Available: ${namesOf(agents)}`
      : `${named.length} agents are named "${oneLine(reference)}": use an id`,
  );
}

/** Lets a person choose one of some agents. Throws `CommandError` if they leave. */
export async function askForAgent(io: Io, agents: readonly NamedAgent[]): Promise<NamedAgent> {
  const choices = agents.map(({ sId: id, name, description }) => ({ id, name, description }));
  return chooseAgent(agents, await chooseOne(io, { message: "Which agent do you ask?", choices }));
}

/** Names of agents in a line. */
export const namesOf = (agents: readonly NamedAgent[]): string =>
  agents.map(({ name }) => oneLine(name)).join(", ");

/** The agent that answered last in a conversation; undefined if none has. */
export async function findLastAgent(
  { parley }: ServerConnection,
  conversationId: string,
): Promise<NamedAgent | undefined> {
  const { conversation } = await callServer(parley.conversations.get({ conversationId }));
  return agentMessages(conversation).at(-1)?.configuration;
}
