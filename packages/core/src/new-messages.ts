import type { ConversationEvent, CreateContentFragment, CreateMessage } from "@parley/schema";
import { fragmentColumns } from "./content-fragments.ts";
import type { Core } from "./context.ts";
import { renderAgentMessage, renderUserMessage } from "./messages.ts";
import type { AgentRow, ConversationRow, MessageRow, UserRow } from "./rows.ts";

/** An agent message that waits for its agent. */
export interface NewTurn {
  readonly message: MessageRow;
  readonly agent: AgentRow;
}

/** The rows of messages that are about to be written, in the order of their positions. */
export interface NewMessages {
  readonly fragments: readonly MessageRow[];
  readonly userMessage: MessageRow;
  readonly turns: readonly NewTurn[];
}

export interface NewMessagesInput {
  readonly conversation: ConversationRow;
  readonly message: CreateMessage;
  readonly fragments: readonly CreateContentFragment[];
  readonly user: UserRow;
  readonly agents: readonly AgentRow[];
  readonly skipToolsValidation: boolean;
}

/** Builds the rows of a user's message, of the fragments before it and of the answers after it. */
export async function buildMessages(core: Core, input: NewMessagesInput): Promise<NewMessages> {
  const { conversation, message, user, agents } = input;
  const ids = await core.takeRowIds(input.fragments.length + 1 + agents.length);
  const row = (rank: number, columns: Partial<MessageRow>): MessageRow => ({
    ...emptyMessage,
    id: ids[rank] ?? 0,
    sid: core.newId(),
    workspaceId: conversation.workspaceId,
    conversationId: conversation.id,
    rank,
    createdAt: core.now(),
    ...columns,
  });
  const fragments = input.fragments.map((fragment, rank) => row(rank, fragmentColumns(fragment)));
  const userMessage = row(fragments.length, {
    type: "user_message",
    content: message.content,
    context: { username: "API User", timezone: "UTC", ...message.context },
    userId: user.id,
    mentions: message.mentions,
  });
  const turns = agents.map((agent, index) => ({
    agent,
    message: row(fragments.length + 1 + index, {
      type: "agent_message",
      agentId: agent.id,
      parentMessageId: userMessage.sid,
      status: "created",
      modelSelection: message.modelSelection ?? null,
      skipToolsValidation: input.skipToolsValidation,
    }),
  }));
  return { fragments, userMessage, turns };
}

const emptyMessage = {
  version: 0,
  type: "",
  visibility: "visible",
  content: "",
  context: null,
  userId: null,
  mentions: null,
  agentId: null,
  parentMessageId: null,
  status: null,
  chainOfThought: null,
  rawContents: null,
  error: null,
  modelSelection: null,
  skipToolsValidation: null,
  fragment: null,
} satisfies Partial<MessageRow>;

/** The events that announce new messages; fragments are not announced. */
export function buildEvents(
  { userMessage, turns }: NewMessages,
  user: UserRow,
): ConversationEvent[] {
  return [
    {
      type: "user_message_new",
      created: userMessage.createdAt,
      messageId: userMessage.sid,
      message: { ...renderUserMessage(userMessage, user), rank: userMessage.rank },
    },
    ...turns.map(({ message, agent }) => ({
      type: "agent_message_new" as const,
      created: message.createdAt,
      configurationId: agent.sid,
      messageId: message.sid,
      message: { ...renderAgentMessage(message, agent, []), rank: message.rank },
    })),
  ];
}
