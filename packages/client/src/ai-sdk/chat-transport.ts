import type { ChatTransport } from "ai";
import { agentMessages } from "../agent-messages.ts";
import type { Parley } from "../parley.ts";
import { answerChunks, type Chunk, cursorAfter } from "./answer-chunks.ts";
import type { ChatMessage, ChatMetadata } from "./ui-messages.ts";

/** How chats are conversations of a server. */
export interface ChatTransportOptions {
  readonly parley: Parley;
  /** Id of the agent that answers. */
  readonly agentId: string;
  /** The conversation of a chat; undefined for one that its first message is to create. */
  readonly findConversation?:
    | ((chatId: string) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Called with the conversation that the first message of a chat has created. */
  readonly onCreate?: ((created: { chatId: string; conversationId: string }) => void) | undefined;
}

/** A transport of `useChat` whose chats are conversations. */
export interface ParleyChatTransport extends ChatTransport<ChatMessage> {
  readonly resumeStreamIsReplay: true;
  /** Cancels the answer that is being written; `stop` of `useChat` only stops reading it. */
  readonly cancel: (chatId: string) => Promise<void>;
}

/** The part `data-task-call`: the call is that of a task. */
interface Placed {
  readonly data: { readonly conversationId: string; readonly messageId: string };
}

type Send = Parameters<ParleyChatTransport["sendMessages"]>[0];

/**
 * Creates a transport for `useChat` of the AI SDK. Streams survive broken connections; `resume` replays
 * the last answer, so that it is whole however much of it a page had. A chat continues the conversation
 * that it has created or that the metadata of its messages name, else the one of `findConversation`.
 */
export function createChatTransport(options: ChatTransportOptions): ParleyChatTransport {
  const { parley, agentId, findConversation, onCreate } = options;
  /** Conversations by chat. */
  const created = new Map<string, string>();

  function read(
    conversationId: string,
    messageId: string,
    { signal, continueAfter }: { signal: AbortSignal | undefined } & Partial<ChatMetadata>,
  ): ReadableStream<Chunk> {
    const leaving = new AbortController();
    const either = AbortSignal.any([leaving.signal, ...(signal === undefined ? [] : [signal])]);
    const lastEventId = continueAfter && cursorAfter(continueAfter);
    const answer = { conversationId, messageId };
    const followed = parley.messages.followChunks(answer, { signal: either, lastEventId });
    const chunks = answerChunks(followed, answer);
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        leaving.abort();
        // It throws that it was left.
        await chunks.return().catch(() => {});
      },
    });
  }

  async function lastAnswer(conversationId: string, signal: AbortSignal | undefined) {
    const page = { conversationId, limit: 1 };
    const { conversation } = await parley.conversations.get(page, { signal });
    return agentMessages(conversation).at(-1);
  }

  async function findIn(chatId: string, messages: readonly ChatMessage[] = []) {
    const last = messages.findLast(({ metadata }) => metadata !== undefined);
    const known = created.get(chatId) ?? last?.metadata?.conversationId;
    return known ?? (await findConversation?.(chatId));
  }

  // What writes is never aborted: the chat must learn which conversation it has begun.
  async function post(
    { chatId, messages, abortSignal: signal }: Send,
    conversationId: string | undefined,
  ): Promise<ReadableStream<Chunk>> {
    const mentions = [{ configurationId: agentId }];
    const message = { content: textOf(messages.at(-1)), mentions };
    if (conversationId !== undefined) {
      const posted = await parley.messages.create({ conversationId, ...message });
      return read(conversationId, requireAnswer(posted.agentMessages[0], agentId), { signal });
    }
    const { conversation } = await parley.conversations.create({ message });
    created.set(chatId, conversation.sId);
    onCreate?.({ chatId, conversationId: conversation.sId });
    const [answer] = agentMessages(conversation);
    return read(conversation.sId, requireAnswer(answer, agentId), { signal });
  }

  async function answerAgain(
    { messageId, abortSignal: signal }: Send,
    conversationId: string,
  ): Promise<ReadableStream<Chunk>> {
    const last = await lastAnswer(conversationId, signal);
    if (last === undefined || (messageId !== undefined && messageId !== last.sId)) {
      throw new Error("Only the last answer can be regenerated");
    }
    const { message } = await parley.messages.retry({ conversationId, messageId: last.sId });
    return read(conversationId, message.sId, { signal });
  }

  async function decide(
    { id: messageId, parts, metadata }: ChatMessage,
    signal: AbortSignal | undefined,
  ): Promise<ReadableStream<Chunk>> {
    if (metadata?.continueAfter === undefined) {
      throw new Error("The last message is an answer without calls that wait for approval");
    }
    const { conversationId, continueAfter } = metadata;
    // What is allowed on a page of its own: only that it is not wanted is said here.
    const permissions = new Set(
      parts.flatMap((part) => (part.type === "data-permission" ? part.id : [])),
    );
    for (const part of parts) {
      if (part.type !== "dynamic-tool" || part.state !== "approval-responded") continue;
      const { id: actionId, approved } = part.approval;
      if (approved && permissions.has(actionId)) continue;
      const decision = approved ? "approved" : "rejected";
      // Repeating a decision changes nothing.
      const call = { conversationId, messageId, actionId, approved: decision } as const;
      const task = parts.find((one) => one.type === "data-task-call" && one.id === actionId);
      await parley.messages.validateAction({ ...call, ...(task as Placed | undefined)?.data });
    }
    return read(conversationId, messageId, { signal, continueAfter });
  }

  return {
    resumeStreamIsReplay: true,

    sendMessages: async (send) => {
      const { chatId, messages, trigger, messageId, abortSignal } = send;
      const conversationId = await findIn(chatId, messages);
      if (trigger === "regenerate-message") {
        if (conversationId === undefined) throw new Error("The chat has no answer yet");
        return answerAgain(send, conversationId);
      }
      const last = messages.at(-1);
      if (last?.role === "assistant") return decide(last, abortSignal);
      if (messageId !== undefined) throw new Error("Sent messages cannot be edited");
      return post(send, conversationId);
    },

    reconnectToStream: async ({ chatId, abortSignal }) => {
      const conversationId = await findIn(chatId);
      if (conversationId === undefined) return null;
      // Also one that has ended: it may have been written when the page read the conversation.
      const answer = await lastAnswer(conversationId, abortSignal);
      if (answer === undefined) return null;
      return read(conversationId, answer.sId, { signal: abortSignal });
    },

    cancel: async (chatId) => {
      const conversationId = await findIn(chatId);
      if (conversationId === undefined) return;
      const answer = await lastAnswer(conversationId, undefined);
      if (answer?.status !== "created") return;
      await parley.conversations.cancel({ conversationId, messageIds: [answer.sId] });
    },
  };
}

function textOf(message: ChatMessage | undefined): string {
  const parts = message?.parts ?? [];
  if (parts.some(({ type }) => type === "file")) {
    throw new Error("Files are not sent with messages: upload them with parley.files.upload");
  }
  return parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

function requireAnswer(answer: { readonly sId: string } | undefined, agentId: string): string {
  if (answer !== undefined) return answer.sId;
  throw new Error(`The workspace has no active agent ${agentId}`);
}
