import type { AgentMessage } from "@parley/schema";

/**
 * What an answer that has ended lacks, in a sentence for people; undefined if it is whole.
 *
 * @example
 * const { conversation } = await parley.conversations.create({
 *   message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
 *   blocking: true,
 * });
 * for (const answer of agentMessages(conversation)) {
 *   console.log(answer.content, explainEnd(answer) ?? "");
 * }
 */
export function explainEnd({
  status,
  finishReason,
}: Pick<AgentMessage, "status" | "finishReason">): string | undefined {
  if (status !== "succeeded") return undefined;
  if (finishReason === "length") return "The answer was cut off at the model's token limit";
  return finishReason === "empty" ? "The answer is empty: the model wrote no text" : undefined;
}
