import type { Action, AgentMessage } from "@parley/schema";
import type { Parley } from "../parley.ts";
import { type Answer, beginAnswer, foldEvent, type Waiting } from "./fold-answer.ts";

/** What happens to answers that are being written. */
interface Observer {
  /** One has changed, or is being reconnected to. */
  readonly onChange: () => void;
  readonly onEnd: (message: AgentMessage) => void;
  /** One is no longer followed, though it has not ended. */
  readonly onError: (error: Error) => void;
}

const waitsForPerson: ReadonlySet<Action["status"]> = new Set([
  "blocked_validation_required",
  "blocked_user_answer_required",
  "blocked_authentication_required",
]);

/** Follows answers that are being written, each event once, also when it is left and comes back. */
export function followAnswers(parley: Parley, { onChange, onEnd, onError }: Observer) {
  const answers = new Map<string, Answer>();
  /** Calls that no longer wait for a person. */
  const decided = new Set<string>();
  const followed = new Set<string>();
  const reconnecting = new Set<string>();
  let connection: AbortController | undefined;

  async function follow(conversationId: string, messageId: string, signal: AbortSignal) {
    followed.add(messageId);
    const events = parley.messages.follow(
      { conversationId, messageId, include: ["notes", "citations", "children"] },
      {
        signal,
        lastEventId: answers.get(messageId)?.lastEventId,
        // A page may sleep for hours, and says in the meantime that it reconnects.
        reconnectForMs: Infinity,
        onState: ({ status }) => {
          if (status === "connecting") return;
          if (status === "waiting") reconnecting.add(messageId);
          else reconnecting.delete(messageId);
          onChange();
        },
      },
    );
    try {
      for await (const event of events) {
        const answer = answers.get(messageId);
        // Another follower may continue already after the last event that is in the answer.
        if (signal.aborted || answer === undefined) return;
        const next = foldEvent(answer, event, events.lastEventId);
        answers.set(messageId, next);
        if (next.message.status !== "created") {
          answers.delete(messageId);
          onEnd(next.message);
        }
        onChange();
      }
    } catch (error) {
      if (signal.aborted) return;
      followed.delete(messageId);
      onError(error as Error);
    }
  }

  const isWaiting = ({ actionId }: { actionId: string }) => !decided.has(actionId);

  return {
    /** Ids of the answers that are being written. */
    ids: (): string[] => [...answers.keys()],

    /** An answer that is being written, as far as it has come. */
    get: (messageId: string): AgentMessage | undefined => answers.get(messageId)?.message,

    /** The calls of all answers that wait for a person. */
    waiting: (): Waiting => {
      const all = [...answers.values()];
      return {
        approvals: all.flatMap(({ approvals }) => approvals).filter(isWaiting),
        questions: all.flatMap(({ questions }) => questions).filter(isWaiting),
        // Nobody decides about one here: it continues by itself.
        permissions: all.flatMap(({ permissions }) => permissions),
      };
    },

    isReconnecting: (): boolean => reconnecting.size > 0,

    /** Adds an answer that is being written, unless it is there. */
    begin: (message: AgentMessage): void => {
      // Its events say that a call waited for a person, but not that it was decided and runs.
      for (const { sId, status } of message.actions) {
        if (!waitsForPerson.has(status)) decided.add(sId);
      }
      if (!answers.has(message.sId)) answers.set(message.sId, beginAnswer(message));
    },

    /** Forgets the answers that are not among these. */
    keep: (ids: ReadonlySet<string>): void => {
      for (const id of answers.keys()) if (!ids.has(id)) answers.delete(id);
    },

    /** Takes a call from those that wait for a person. */
    markDecided: (actionId: string): void => void decided.add(actionId),

    /** Follows the answers that are not being followed. */
    connect: (conversationId: string): void => {
      connection ??= new AbortController();
      for (const messageId of answers.keys()) {
        if (!followed.has(messageId)) void follow(conversationId, messageId, connection.signal);
      }
    },

    /** Leaves all streams. */
    disconnect: (): void => {
      connection?.abort();
      connection = undefined;
      followed.clear();
      reconnecting.clear();
    },
  };
}
