import type { ConversationMessage, ToolApproval, ToolQuestion, Warning } from "@parley/schema";
import { newIdempotencyKey } from "../call-endpoint.ts";
import type { Input } from "../methods.ts";
import type { Parley } from "../parley.ts";
import { asBegun, type Waiting } from "./fold-answer.ts";
import { followAnswers } from "./followed-answers.ts";

/** A message to send. */
export type NewMessage = Input<"conversations.create">["message"];

/** What a person decides about a call that waits for approval. */
export type Decision = Input<"messages.validateAction">["approved"];

/** What a person answers a question: an own text, or chosen options with perhaps one. */
export type QuestionAnswer = string | Input<"messages.answerQuestion">["answer"];

/** A conversation as it is shown. */
export interface ConversationState extends Waiting {
  /** Undefined until the first message has created the conversation. */
  readonly conversationId: string | undefined;
  /** What happens at the moment. */
  readonly status: "loading" | "sending" | "answering" | "ready";
  /** The current version of each message, in order; answers grow while they are written. */
  readonly messages: readonly ConversationMessage[];
  /** Whether a stream is broken and being reopened. */
  readonly isReconnecting: boolean;
  /** Why the last action, or a stream, failed. A failed answer has its error in its message. */
  readonly error: Error | undefined;
}

/** A conversation and what can be done with it. Actions resolve with whether they succeeded. */
export type ConversationStore = ReturnType<typeof createConversationStore>;

/**
 * Holds one conversation: an existing one, or one that the first message creates. While it has listeners
 * it reads the conversation and follows the answers that are being written; a later listener continues
 * after the last event. Without listeners it has no connection.
 */
export function createConversationStore(parley: Parley, existingId?: string) {
  let conversationId = existingId;
  let messages: readonly ConversationMessage[] = [];
  let isLoaded = existingId === undefined;
  let isLoading = !isLoaded;
  let loading: Promise<void> | undefined;
  let sends = 0;
  let sending: Promise<unknown> = Promise.resolve();
  let unsent: { readonly content: string; readonly idempotencyKey: string } | undefined;
  let error: Error | undefined;
  const listeners = new Set<() => void>();
  let connection: AbortController | undefined;
  let publishing: ReturnType<typeof setTimeout> | undefined;

  const answers = followAnswers(parley, {
    // When the events that have come are all read: a long answer comes back at once.
    onChange: () => (publishing ??= setTimeout(publish)),
    onEnd: (ended) => {
      messages = messages.map((one) => (one.sId === ended.sId ? ended : one));
    },
    onError: (cause) => {
      error = cause;
      publish();
    },
  });
  let state = currentState();

  function currentState(): ConversationState {
    const busy = isLoading ? "loading" : sends > 0 ? "sending" : undefined;
    return {
      conversationId,
      status: busy ?? (answers.ids().length > 0 ? "answering" : "ready"),
      messages: messages.map((message) => answers.get(message.sId) ?? message),
      ...answers.waiting(),
      isReconnecting: answers.isReconnecting(),
      error,
    };
  }

  function publish(): void {
    clearTimeout(publishing);
    publishing = undefined;
    state = currentState();
    for (const listener of listeners) listener();
  }

  /** Reads the conversation unless that is done. Throws when it is refused, or the last listener left. */
  async function load(): Promise<void> {
    if (isLoaded) return;
    if (loading === undefined) {
      const own = read(connection?.signal).finally(() => {
        if (loading === own) loading = undefined;
      });
      loading = own;
    }
    await loading;
  }

  async function read(signal: AbortSignal | undefined): Promise<void> {
    isLoading = true;
    try {
      const id = requireId();
      const { conversation } = await parley.conversations.get({ conversationId: id }, { signal });
      signal?.throwIfAborted();
      messages = conversation.content.flatMap((versions) => versions.at(-1) ?? []);
      isLoaded = true;
      const running = messages.flatMap((message) =>
        message.type === "agent_message" && message.status === "created" ? message : [],
      );
      answers.keep(new Set(running.map(({ sId }) => sId)));
      for (const message of running) answers.begin(message);
    } finally {
      if (signal?.aborted !== true) isLoading = false;
    }
  }

  /** Adds messages that were posted; those that a read has brought already stay as they are. */
  function add(posted: readonly ConversationMessage[]): void {
    const known = new Set(messages.map(({ sId }) => sId));
    const added = posted.filter(({ sId }) => !known.has(sId));
    messages = [...messages, ...added];
    for (const message of added) if (message.type === "agent_message") answers.begin(message);
  }

  async function post(
    given: NewMessage | (() => Promise<NewMessage>),
    onCreate?: (id: string) => void,
  ): Promise<void> {
    await load();
    const message = typeof given === "function" ? await given() : given;
    const content = JSON.stringify(message);
    // What failed may have arrived: the same message again is the same request.
    if (unsent?.content !== content) unsent = { content, idempotencyKey: newIdempotencyKey() };
    const { idempotencyKey } = unsent;
    if (conversationId === undefined) {
      const created = await parley.conversations.create({ message }, { idempotencyKey });
      const { conversation } = created;
      noteVainMention(created.warnings);
      conversationId = conversation.sId;
      add(conversation.content.flatMap((versions) => versions.map(asBegun)));
      onCreate?.(conversation.sId);
    } else {
      const call = { conversationId, ...message };
      const posted = await parley.messages.create(call, { idempotencyKey });
      noteVainMention(posted.warnings);
      add([posted.message, ...posted.agentMessages.map(asBegun)]);
    }
    unsent = undefined;
  }

  /** A message that is sent to no agent, such as to its name, is stored, and nobody will answer. */
  function noteVainMention(warnings: readonly Warning[] = []): void {
    const vain = warnings.find(({ path }) => /(?:^|\.)mentions\b/.test(path));
    if (vain !== undefined) error = new Error(`${vain.path}: ${vain.message}`);
  }

  function requireId(): string {
    if (conversationId === undefined) throw new Error("The conversation has not been created");
    return conversationId;
  }

  function follow(): void {
    if (connection !== undefined && conversationId !== undefined) answers.connect(conversationId);
  }

  async function attempt(work: () => Promise<void>): Promise<boolean> {
    error = undefined;
    publish();
    try {
      await work();
      return true;
    } catch (cause) {
      error = cause as Error;
      return false;
    } finally {
      follow();
      publish();
    }
  }

  async function connect(): Promise<void> {
    const { signal } = (connection = new AbortController());
    await load().catch((cause: unknown) => {
      if (!signal.aborted) error = cause as Error;
    });
    if (signal.aborted) return;
    follow();
    publish();
  }

  function disconnect(): void {
    connection?.abort();
    connection = undefined;
    loading = undefined;
    answers.disconnect();
    clearTimeout(publishing);
    publishing = undefined;
  }

  return {
    getState: (): ConversationState => state,

    /** Calls the listener at each change of the state, and connects while there is one. */
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      if (listeners.size === 1) void connect();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) disconnect();
      };
    },

    /** Sends a message, or what a function makes, one after the other; the first creates the conversation. */
    send: async (
      message: NewMessage | (() => Promise<NewMessage>),
      onCreate?: (id: string) => void,
    ): Promise<boolean> => {
      sends++;
      const before = sending;
      const sent = attempt(async () => {
        await before;
        await post(message, onCreate).finally(() => sends--);
      });
      sending = sent;
      return sent;
    },

    /** Cancels the answers that are being written; they keep their text. */
    cancel: async (): Promise<boolean> =>
      attempt(async () => {
        const messageIds = answers.ids();
        if (messageIds.length === 0) return;
        await parley.conversations.cancel({ conversationId: requireId(), messageIds });
      }),

    /** Lets an agent answer again: the new answer takes the place of the one that has ended. */
    retry: async (messageId: string): Promise<boolean> =>
      attempt(async () => {
        const call = { conversationId: requireId(), messageId };
        const message = asBegun((await parley.messages.retry(call)).message);
        messages = messages.map((one) => (one.sId === messageId ? message : one));
        answers.begin(message);
      }),

    /** Decides about a call that waits for approval. */
    decide: async (
      // Of a task, it is another conversation.
      { conversationId: cId, messageId, actionId }: ToolApproval,
      approved: Decision,
    ): Promise<boolean> =>
      attempt(async () => {
        const call = { conversationId: cId, messageId, actionId, approved };
        await parley.messages.validateAction(call);
        answers.markDecided(actionId);
      }),

    /** Answers a question of an agent, which continues with the answer. */
    answer: async (
      { conversationId: cId, messageId, actionId }: ToolQuestion,
      given: QuestionAnswer,
    ): Promise<boolean> =>
      attempt(async () => {
        const answer =
          typeof given === "string" ? { selectedOptions: [], customResponse: given } : given;
        const call = { conversationId: cId, messageId, actionId, answer };
        await parley.messages.answerQuestion(call);
        answers.markDecided(actionId);
      }),

    /** Reads the conversation again, and follows again what is being written. */
    reload: async (): Promise<boolean> =>
      attempt(async () => {
        if (conversationId === undefined) return;
        isLoaded = false;
        await load();
      }),
  };
}
