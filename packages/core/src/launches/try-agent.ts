import {
  CreateConversation,
  type CreatedConversation,
  invalidRequest,
  type TriedAgent,
  type TryAgent,
} from "@parley/schema";
import type { BriefAgent } from "../agents/agents.ts";
import { deleteDraft, insertDraft } from "../agents/drafts.ts";
import { requireUsableFormat } from "../agents/response-formats.ts";
import type { ConversationContext } from "../conversations/conversation-context.ts";
import { createConversation } from "../conversations/create-conversation.ts";
import { replayConversation } from "../conversations/replays.ts";
import { requireAgentVersion } from "./require-launch.ts";

/**
 * Lets a version of an agent, or a definition that is not saved, answer in a temporary conversation. It costs what an
 * answer of the agent costs, under its budgets. Throws as `createAgent` and `createConversation` do, and `agent_not_found`.
 */
export async function tryAgent(context: ConversationContext, input: TryAgent): Promise<TriedAgent> {
  const agent = await findTried(context, input);
  // Its mention resolves to what is tried.
  const agents = { find: async () => new Map([[agent.sid, agent]]), close: () => {} };
  const asked = Object.assign(Object.create(context) as ConversationContext, { agents });
  try {
    return renderTrial(await createConversation(asked, ask(input, agent.sid)));
  } catch (error) {
    // What is refused leaves nothing.
    if (input.draft !== undefined) await deleteDraft(context, agent);
    throw error;
  }
}

/** Repeats the response for what was tried. Throws `conversation_not_found` once it is erased. */
export async function replayTrial(
  context: ConversationContext,
  input: TryAgent,
  createdId: string,
): Promise<TriedAgent> {
  return renderTrial(await replayConversation(context, ask(input, ""), createdId));
}

const ask = ({ message }: TryAgent, configurationId: string) =>
  CreateConversation.parse({
    message: { ...message, mentions: configurationId === "" ? [] : [{ configurationId }] },
    temporary: true,
  });

function renderTrial({ conversation }: CreatedConversation): TriedAgent {
  const answer = conversation.content.flat().find(({ type }) => type === "agent_message");
  return { conversation: { sId: conversation.sId }, message: { sId: answer?.sId ?? "" } };
}

async function findTried(context: ConversationContext, input: TryAgent): Promise<BriefAgent> {
  const { agentId, agentVersion = null, draft } = input;
  if (draft !== undefined) {
    if (agentVersion !== null) throw inBody("agentVersion", "is only for trials without a draft");
    const given = draft.responseFormat;
    const format = await requireUsableFormat(context, given, "draft.responseFormat");
    return insertDraft(context, { draft, responseFormat: format, agentId });
  }
  if (agentId !== undefined) {
    return requireAgentVersion(context, context.caller.workspace.id, { agentId, agentVersion });
  }
  throw inBody("", "agentId or draft must be there: it is what is tried");
}

const inBody = (path: string, message: string) => invalidRequest("body", [{ path, message }]);
