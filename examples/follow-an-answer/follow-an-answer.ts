import { agentMessages, AnswerFailed, createParley } from "parley-client";

const { PARLEY_URL, PARLEY_WORKSPACE, PARLEY_API_KEY, PARLEY_AGENT_ID = "helper" } = process.env;
if (!PARLEY_URL || !PARLEY_WORKSPACE || !PARLEY_API_KEY) {
  throw new Error("Set PARLEY_URL, PARLEY_WORKSPACE and PARLEY_API_KEY");
}
const parley = createParley({
  baseUrl: PARLEY_URL,
  workspaceId: PARLEY_WORKSPACE,
  apiKey: PARLEY_API_KEY,
  onWarning: ({ message }) => console.error(message),
});

const { conversation } = await parley.conversations.create({
  message: {
    content: process.argv[2] ?? "Hello!",
    mentions: [{ configurationId: PARLEY_AGENT_ID }],
  },
});
for (const { sId } of agentMessages(conversation)) {
  const answer = { conversationId: conversation.sId, messageId: sId };
  try {
    // It survives broken connections: each piece of the text comes once.
    for await (const text of parley.messages.text(answer)) process.stdout.write(text);
    process.stdout.write("\n");
  } catch (error) {
    if (!(error instanceof AnswerFailed)) throw error;
    console.error(`\n${error.code}: ${error.message}`);
    process.exitCode = 1;
  }
}
