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
  {
    added,
    path,
  }: {
    added: readonly Pick<MessageRow, "content" | "responseFormat" | "answerSettings">[];
    path: string;
  },
): ConversationSize {
  const messageCount = (before.messageCount ?? 0) + added.length;
  const messageBytes =
    (before.messageBytes ?? 0) +
    added.reduce(
      (sum, row) =>
        sum +
        Buffer.byteLength(row.content) +
        bytesOf(row.responseFormat) +
        bytesOf(row.answerSettings),
      0,
    );
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

const bytesOf = (json: object | null): number =>
  json === null ? 0 : Buffer.byteLength(JSON.stringify(json));

/** Bytes of the texts of an answer, with its value in a format, and the parameters and outputs of its calls. */
export function sizeOfAnswer(
  {
    content,
    chainOfThought,
    structuredOutput = null,
  }: Pick<MessageRow, "content" | "chainOfThought"> & Partial<Pick<MessageRow, "structuredOutput">>,
  actions: readonly Pick<ActionRow, "params" | "output">[],
): number {
  const ofActions = actions.reduce(
    (sum, { params, output }) => sum + Buffer.byteLength(JSON.stringify([params, output])),
    0,
  );
  // The content is the JSON of the value.
  const texts = Buffer.byteLength(content) * (structuredOutput === null ? 1 : 2);
  return texts + Buffer.byteLength(chainOfThought ?? "") + ofActions;
}
