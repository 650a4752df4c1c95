import type { AgentMessage } from "@parley/schema";

/** What an answer that has ended lacks, in a sentence for people; undefined where it is whole. */
export function explainEnd({
  status,
  finishReason,
}: Pick<AgentMessage, "status" | "finishReason">): string | undefined {
  if (status !== "succeeded") return undefined;
  if (finishReason === "length") return "The answer was cut at the model's limit of tokens";
  return finishReason === "empty" ? "The answer is empty: the model wrote no text" : undefined;
}
