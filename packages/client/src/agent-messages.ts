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
