import type { UIMessageChunk } from "ai";
import type { AnswerChunk, Follower } from "../follow.ts";
import type { ChatMetadata } from "./ui-messages.ts";

/** A chunk of a stream that `useChat` reads. */
export type Chunk = UIMessageChunk<ChatMetadata>;

/** What a chat is given of a call that waits for its user's permission, as the part `data-permission`. */
export interface Permission {
  /** The tool, whose `toolAuthorizations.start` has the page on which the user allows it. */
  readonly toolId: string;
  readonly toolName: string;
  readonly message: string;
}

/**
 * Yields an answer's chunks for `useChat`; where the stream is left because calls wait for a decision, the message is
 * told from where another stream continues.
 */
export async function* answerChunks(
  chunks: Follower<AnswerChunk>,
  { conversationId }: Pick<ChatMetadata, "conversationId">,
): AsyncGenerator<Chunk, void, undefined> {
  for await (const chunk of chunks) {
    const isLeft = chunk.type === "finish" && chunk["finishReason"] === "tool-calls";
    const continueAfter = { lastEventId: chunks.lastEventId };
    const left = { ...chunk, messageMetadata: { conversationId, continueAfter } };
    // The server writes what the SDK's schema of chunks describes.
    yield (isLeft ? left : chunk) as Chunk;
  }
}

/**
 * Where a stream continues that was left: of an answer that was stored by an earlier version of this transport, after
 * all chunks of the event that it names.
 */
export function cursorAfter({ lastEventId }: { readonly lastEventId: string }): string {
  return lastEventId.includes(".") ? lastEventId : `${lastEventId}.999999999`;
}
