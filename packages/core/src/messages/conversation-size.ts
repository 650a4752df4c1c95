/**
 * The bounds of conversations. What is written to one is counted in its row, under the lock that
 * numbers it; answers are counted in its log by the statement that ends them. So answers in progress may
 * exceed the bound, each by at most one answer.
 */
import { ParleyError } from "@parley/schema";
import type { ActionRow, ConversationRow, MessageRow } from "../data-access/rows.ts";

export interface ConversationLimits {
  /** Messages, with all of their versions. */
  readonly messages: number;
  /** Bytes of their texts. */
  readonly bytes: number;
}

export type ConversationSize = Pick<ConversationRow, "messageCount" | "messageBytes">;

/**
 * The size of a conversation with these messages added. Throws `invalid_request_error` if it may
 * not become so large; `path` is where the request names what is too large.
 */
export function addToSize(
  limits: ConversationLimits,
  before: ConversationSize & { readonly answerBytes?: number },
  { added, path }: { added: readonly Pick<MessageRow, "content">[]; path: string },
): ConversationSize {
  const messageCount = (before.messageCount ?? 0) + added.length;
  const messageBytes =
    (before.messageBytes ?? 0) +
    added.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const refuse = (most: string): never => {
    throw new ParleyError("invalid_request_error", `${path}: ${most}: continue in a new one`);
  };
  if (messageCount > limits.messages) {
    const counted = "messages, versions and fragments among them";
    refuse(`a conversation may have ${limits.messages} ${counted}`);
  }
  if (messageBytes + (before.answerBytes ?? 0) > limits.bytes) {
    refuse(`the texts of a conversation may have ${limits.bytes} bytes together`);
  }
  return { messageCount, messageBytes };
}

/** Bytes of the texts of an answer, with the parameters and outputs of its calls. */
export function sizeOfAnswer(
  { content, chainOfThought }: Pick<MessageRow, "content" | "chainOfThought">,
  actions: readonly Pick<ActionRow, "params" | "output">[],
): number {
  const ofActions = actions.reduce(
    (sum, { params, output }) => sum + Buffer.byteLength(JSON.stringify([params, output])),
    0,
  );
  return Buffer.byteLength(content) + Buffer.byteLength(chainOfThought ?? "") + ofActions;
}
