import { type CreateMessage, invalidRequest, type StoredResponseFormat } from "@parley/schema";
import type { AgentServices } from "../agents/agent-versions.ts";
import type { BriefAgent } from "../agents/agents.ts";
import {
  findStrictFault,
  requireEnforced,
  requireUsableFormat,
} from "../agents/response-formats.ts";
import type { Context } from "../context.ts";

/**
 * The format that a message sets for its answers; null for each agent's own. Throws `invalid_request_error` for an
 * unusable schema, and for a strict format that a model of the answers does not enforce, also if only the model is
 * the message's.
 */
export async function requireMessageFormat(
  context: Context & AgentServices,
  {
    message,
    agents,
    path,
  }: { message: CreateMessage; agents: readonly BriefAgent[]; path: string },
): Promise<StoredResponseFormat | null> {
  const { responseFormat, modelSelection } = message;
  if (responseFormat !== undefined) {
    const at = `${path}responseFormat`;
    const format = await requireUsableFormat(context, responseFormat, at);
    const own = agents.flatMap((agent) => [agent, ...agent.fallbackModels]);
    requireEnforced(format, modelSelection === undefined ? own : [modelSelection], at);
    return format;
  }
  if (modelSelection === undefined) return null;
  for (const agent of agents) {
    const fault = findStrictFault(await readFormat(context, agent), [modelSelection]);
    if (fault === undefined) continue;
    const why = `the agent ${agent.name} answers in a format of its own: ${fault.path}: ${fault.message}`;
    throw invalidRequest("body", [{ path: `${path}modelSelection`, message: why }]);
  }
  return null;
}

async function readFormat({ agentVersions }: AgentServices, agent: BriefAgent) {
  if (!agent.hasLongTexts) return agent.responseFormat;
  return (await agentVersions.getTexts(agent.id))?.responseFormat;
}
