import { type CreateGenericAgent, type GenericAgent, ParleyError } from "@parley/schema";
import type { Context } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { findEnabledModels, howToEnable, isInRegion, requireModel } from "../workspaces/models.ts";
import { readAgent } from "./read-agents.ts";
import { insertAgent } from "./write-agents.ts";

/**
 * Creates an agent, and a second one if it is described, with a model that the workspace has enabled.
 * Throws `model_disabled` if it has none.
 */
export async function createGenericAgent(
  context: KeyedContext,
  input: CreateGenericAgent,
): Promise<GenericAgent> {
  const { workspace } = context.caller;
  const model = findDefaultModel(context);
  const sid = context.newId();
  const second = secondOf(input);
  const subSid = second && context.newId();
  const id = [sid, subSid].filter((one) => one !== undefined).join(" ");
  return inTransactionOnce(context, { id }, async ({ db, afterCommit, markCreated }) => {
    afterCommit.push({ topic: "agents", workspaceId: workspace.id });
    const { name, description, instructions } = input;
    const draft = { name, description, instructions, model };
    const created = await insertAgent(context, db, { workspace, draft, sid });
    markCreated(sid);
    const { agentConfiguration } = created;
    if (second === undefined || subSid === undefined) return { agentConfiguration };
    const subDraft = { ...second, model };
    const sub = await insertAgent(context, db, { workspace, draft: subDraft, sid: subSid });
    const { agentConfiguration: subAgentConfiguration } = sub;
    return { agentConfiguration, subAgentConfiguration, warnings: [notCalled] };
  });
}

const notCalled = {
  path: "subAgentName",
  message: "Agents of this server cannot call each other: mention the second agent instead",
};

function secondOf(input: CreateGenericAgent) {
  const { subAgentName: name, subAgentDescription: description = "" } = input;
  return name === undefined
    ? undefined
    : { name, description, instructions: input.subAgentInstructions };
}

/** Replays the creation of an agent, or two. */
export async function replayGenericAgent(
  context: Context,
  _input: CreateGenericAgent,
  createdId: string,
): Promise<GenericAgent> {
  const [sId = "", subSid] = createdId.split(" ");
  const { agentConfiguration } = await readAgent(context, sId);
  if (subSid === undefined) return { agentConfiguration };
  const sub = await readAgent(context, subSid);
  const { agentConfiguration: subAgentConfiguration } = sub;
  return { agentConfiguration, subAgentConfiguration, warnings: [notCalled] };
}

/** A model that the workspace may use: one of a provider, if it has enabled any. */
function findDefaultModel({ caller }: Context) {
  const { workspace } = caller;
  const usable = findEnabledModels(workspace).filter((model) => isInRegion(workspace, model));
  const isReal = ({ providerId }: { providerId: string }) =>
    providerId !== "simulated" && providerId !== "noop";
  const model = usable.find(isReal) ?? usable[0];
  if (model === undefined) {
    throw new ParleyError(
      "model_disabled",
      `The workspace has not enabled any model of its region. ${howToEnable()}`,
    );
  }
  return requireModel(workspace, model);
}
