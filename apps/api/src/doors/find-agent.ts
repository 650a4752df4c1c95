import type { BriefAgent } from "@parley/core";
import { invalidRequest } from "@parley/schema";
import { callEndpoint } from "../requests/call-endpoint.ts";
import type { DoorExchange } from "./door.ts";

/** How models begin that are agents. */
const PREFIX = "agent/";

/** The agent that a model names, by its id or else its name. Throws `invalid_request_error` for none. */
export async function requireAgent(exchange: DoorExchange, model: string): Promise<BriefAgent> {
  const named = model.startsWith(PREFIX) ? model.slice(PREFIX.length) : model;
  const { context } = exchange;
  const workspaceId = context.caller.workspace.id;
  const byId = await context.agents.find(workspaceId, [named]);
  const found = byId.get(named) ?? (await findByName(exchange, named));
  if (found !== undefined) return found;
  const message = `the workspace has no agent ${named}: GET /v1/models lists them`;
  throw invalidRequest("body", [{ path: "model", message }]);
}

async function findByName(exchange: DoorExchange, name: string): Promise<BriefAgent | undefined> {
  const { context } = exchange;
  const { agentConfigurations } = await callEndpoint(exchange, "agents.search", {
    query: { q: name },
  });
  const sid = agentConfigurations.find((agent) => agent.name === name)?.sId;
  if (sid === undefined) return undefined;
  return (await context.agents.find(context.caller.workspace.id, [sid])).get(sid);
}
