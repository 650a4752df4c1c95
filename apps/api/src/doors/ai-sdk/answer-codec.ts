import type { MessageEvent } from "@parley/schema";
import { type EventCodec, type Frame, type FramePlace, isUpTo } from "../event-codec.ts";
import type { Chunk } from "./call-chunks.ts";
import { createChunkEncoder, pauseChunk } from "./message-chunks.ts";

/** Which calls of an answer wait for a person. */
export interface WaitingCalls {
  readonly actionIds: ReadonlySet<string>;
  /** Number of the last event of the answer before these were read: calls of later ones wait too. */
  readonly lastSeq: number;
}

interface Answer {
  readonly conversationId: string;
  readonly messageId: string;
  readonly waiting: WaitingCalls;
  /** The last frame that the client has; none by default. */
  readonly last?: Pick<FramePlace, "seq" | "index"> | undefined;
  /** The calls that its user has just decided: the client has what comes before. */
  readonly decided?: ReadonlySet<string> | undefined;
}

/** A codec that knows which frames its client has. */
export interface AnswerCodec extends EventCodec<MessageEvent> {
  readonly isKnown: (place: FramePlace) => boolean;
}

const toFrame = (chunk: Chunk): Frame => ({ data: JSON.stringify(chunk) });
const DONE: Frame = { data: "[DONE]" };

/**
 * Makes the codec of an answer as a UI message stream. It ends with the answer, and where calls wait for a decision
 * that the client does not have yet: a stream that is replayed past decided calls continues.
 */
export function createAnswerCodec({
  conversationId,
  messageId,
  waiting,
  last,
  decided,
}: Answer): AnswerCodec {
  const encoder = createChunkEncoder({ conversationId, messageId });
  /** When each call was asked about. */
  const askedAt = new Map<string, number>();
  let isEnded = false;
  /** Number of the event that asked about the decided calls. */
  let decidedAt = decided === undefined ? -1 : Infinity;

  const isWaiting = (actionId: string): boolean =>
    waiting.actionIds.has(actionId) || (askedAt.get(actionId) ?? 0) > waiting.lastSeq;

  const pauses = (seq: number): boolean => {
    const isNew = seq >= waiting.lastSeq && seq > (last?.seq ?? 0);
    return isNew && encoder.undecided().some(isWaiting);
  };

  return {
    get isEnded() {
      return isEnded;
    },
    begin: () => encoder.begin().map(toFrame),
    encode: (event, seq) => {
      const frames = encoder.encode(event, seq).map(toFrame);
      for (const id of encoder.undecided()) if (!askedAt.has(id)) askedAt.set(id, seq);
      if (decidedAt === Infinity) decidedAt = findDecided(seq, event);
      if (isTerminal(event)) {
        isEnded = true;
        return [...frames, DONE];
      }
      if (!pauses(seq)) return frames;
      isEnded = true;
      return [...frames, toFrame(pauseChunk), DONE];
    },
    isKnown: (place) => place.seq <= decidedAt || (last !== undefined && isUpTo(place, last)),
  };

  function findDecided(seq: number, event: MessageEvent): number {
    const isDecided = (id: string) => decided?.has(id) === true;
    if ([...askedAt.keys()].some(isDecided)) return seq;
    // Decided by others, before the chunks asked about it.
    const isResult = event.type === "agent_action_success" && isDecided(event.action.sId);
    const isOfTask = event.type === "agent_task_call_decided" && isDecided(event.actionId);
    return isResult || isOfTask || isTerminal(event) ? seq - 1 : Infinity;
  }
}

function isTerminal({ type }: MessageEvent): boolean {
  return (
    type === "agent_message_success" ||
    type === "agent_error" ||
    type === "agent_generation_cancelled"
  );
}
