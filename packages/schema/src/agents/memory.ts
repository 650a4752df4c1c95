import * as z from "zod";
import { optional } from "../parsing/text.ts";

const access = z.enum(["read", "write"]);
const said = {
  user: "Files about the user, for all agents",
  agentUser: "Files about the user, for this agent",
  agent: "Files of the agent, for all its users",
  space: "Files of the conversation's space",
};

/** What an agent may do with the files that it remembers, by whose they are. */
export const AgentMemory = z.strictObject({
  user: optional(access).describe(said.user),
  agentUser: optional(access).describe(said.agentUser),
  agent: optional(access).describe(said.agent),
  space: optional(access).describe(said.space),
});
export type AgentMemory = z.output<typeof AgentMemory>;

/** The same as it is stored. */
export const StoredAgentMemory = z.object({
  user: access.optional().describe(said.user),
  agentUser: access.optional().describe(said.agentUser),
  agent: access.optional().describe(said.agent),
  space: access.optional().describe(said.space),
});
