import {
  charactersOfPrompt,
  type ModelProvider,
  type PromptMessage,
  tokensOfFiles,
} from "@parley/agent";
import {
  type ClaimedRun,
  compactionOf,
  type Core,
  isCompactionDue,
  startCompaction,
  type Turn,
} from "@parley/core";
import type { Logger } from "pino";
import { describeRun } from "../runs/leases.ts";

/** Characters of a token of a model that counts none. */
const CHARACTERS_PER_TOKEN = 4;

function estimateTokens(prompt: readonly PromptMessage[]): number {
  const texts = Math.ceil(charactersOfPrompt(prompt) / CHARACTERS_PER_TOKEN);
  return prompt.reduce((sum, message) => sum + tokensOfFiles(message), texts);
}

interface EndedTurn {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly provider: ModelProvider;
  readonly contextTokens: number;
  /** The measurements of its steps. */
  readonly steps: readonly { readonly inputTokens: number | null }[];
  /** Its prompt, before the oldest messages were left out. */
  readonly prompt: readonly PromptMessage[];
}

/**
 * Starts a summary of the conversation's oldest messages if the turn's last prompt was so full; else, it reads and
 * writes nothing. A failure is logged: the end of the next turn tries again.
 */
export async function considerCompaction(
  { core, logger }: { readonly core: Core; readonly logger: Logger },
  { run, turn, provider, contextTokens, steps, prompt }: EndedTurn,
): Promise<void> {
  const { agent, message, conversation, summary } = turn;
  const settings = compactionOf(agent.compaction, provider);
  if (settings === undefined) return;
  const tokens = steps.at(-1)?.inputTokens ?? estimateTokens(prompt);
  const summarisedTo = summary?.toRank ?? -1;
  const positions = message.rank - summarisedTo;
  if (!isCompactionDue({ tokens, contextTokens, positions }, settings)) return;
  const { workspaceId, apiKeyId, userId, requestId, traceparent } = run;
  const { id: agentId, providerId, modelId } = agent;
  try {
    await startCompaction(core, {
      workspaceId,
      conversationId: conversation.id,
      answerId: message.sid,
      rank: message.rank,
      summarisedTo,
      agentId,
      providerId,
      modelId,
      apiKeyId,
      userId,
      requestId,
      traceparent,
    });
  } catch (err) {
    logger.warn({ err, ...describeRun(run) }, "A summary could not be started");
  }
}
