import { waitingOf as read } from "@parley/schema/waiting-calls";
import type { AgentMessage } from "@parley/schema";

/**
 * What an event of an answer, or a blocked call, asks of a person; undefined for other events, also for those that a
 * newer server sends.
 *
 * @example
 * const { conversation } = await parley.conversations.create({
 *   message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
 * });
 * for (const { sId } of agentMessages(conversation)) {
 *   const answer = { conversationId: conversation.sId, messageId: sId };
 *   for await (const event of parley.messages.follow(answer)) {
 *     const waiting = waitingOf(event);
 *     if (waiting?.kind === "approval") console.log(`call ${waiting.call.metadata.toolName}?`);
 *   }
 * }
 */
export const waitingOf = read;

/**
 * The answers in a conversation: the current version of each agent's message, in order.
 *
 * @example
 * const { conversation } = await parley.conversations.create({
 *   message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
 * });
 * for (const { sId } of agentMessages(conversation)) {
 *   const answer = { conversationId: conversation.sId, messageId: sId };
 *   for await (const text of parley.messages.text(answer)) process.stdout.write(text);
 * }
 */
export function agentMessages<M extends { readonly type: string }>(conversation: {
  readonly content: readonly (readonly M[])[];
}): Extract<M, { readonly type: "agent_message" }>[] {
  const current = conversation.content.map((versions) => versions.at(-1));
  return current.filter(
    (message): message is Extract<M, { readonly type: "agent_message" }> =>
      message?.type === "agent_message",
  );
}

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
