import { waitingOf as read } from "@parley/schema/waiting-calls";

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
