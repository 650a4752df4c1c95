/** A conversation as `conversations.create` and `conversations.get` answer it. */
interface WithContent<M> {
  readonly content: readonly (readonly M[])[];
}

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
export function agentMessages<M extends { readonly type: string }>(
  conversation: WithContent<M>,
): Extract<M, { readonly type: "agent_message" }>[] {
  return conversation.content.flatMap((versions) => {
    const current = versions.at(-1);
    return current !== undefined && isAgentMessage(current) ? [current] : [];
  });
}

function isAgentMessage<M extends { readonly type: string }>(
  message: M,
): message is Extract<M, { readonly type: "agent_message" }> {
  return message.type === "agent_message";
}
