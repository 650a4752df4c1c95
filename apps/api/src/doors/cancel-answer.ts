import { callEndpoint } from "../requests/call-endpoint.ts";
import { detached, type DoorExchange } from "./door.ts";

interface AnswerPlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** Cancels an answer as its caller, whether or not the caller is still there. */
export async function cancelAnswer(
  exchange: DoorExchange,
  { conversationId: cId, messageId }: AnswerPlace,
): Promise<void> {
  const body = { messageIds: [messageId] };
  await callEndpoint(detached(exchange), "conversations.cancel", { params: { cId }, body });
}

/** Cancels an answer that is not stored if its client leaves: nobody could read it any more. What has ended stays so. */
export function cancelWithClient(exchange: DoorExchange, place: AnswerPlace): void {
  whenClientLeaves(exchange, () => cancelAnswer(exchange, place));
}

/**
 * Does something if the client leaves before its response is written, or has left already: it may do so while what it asked
 * for is committed. A server that shuts down leaves it to others. Returns how to stop waiting.
 */
export function whenClientLeaves(
  { context: { signal }, services }: DoorExchange,
  work: () => Promise<unknown>,
): () => void {
  const onAbort = (): void => {
    if (!services.draining) work().catch(services.core.onLateFailure);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}
