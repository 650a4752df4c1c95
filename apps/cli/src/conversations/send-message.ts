import { CommandError } from "@parley/command/command-error";
import { agentMessages } from "parley-client";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";

/** Ids of an answer. */
export interface Answer {
  readonly conversationId: string;
  readonly messageId: string;
}

interface Message {
  readonly content: string;
  readonly agentId: string;
  /** None for a new conversation. */
  readonly conversationId: string | undefined;
}

/** Sends a message to an agent, and gives the answer that begins. Throws `CommandError`, or the signal's reason. */
export async function sendMessage(
  { parley }: ServerConnection,
  { content, agentId, conversationId }: Message,
  signal?: AbortSignal,
): Promise<Answer> {
  const mentions = [{ configurationId: agentId }];
  if (conversationId === undefined) {
    const message = { content, mentions };
    const { conversation } = await callServer(parley.conversations.create({ message }, { signal }));
    const [answer] = agentMessages(conversation);
    return { conversationId: conversation.sId, messageId: requireAnswer(answer).sId };
  }
  const posted = await callServer(
    parley.messages.create({ conversationId, content, mentions }, { signal }),
  );
  return { conversationId, messageId: requireAnswer(posted.agentMessages[0]).sId };
}

function requireAnswer<A>(answer: A | undefined): A {
  if (answer !== undefined) return answer;
  throw new CommandError("No agent answers: choose another one with --agent");
}
