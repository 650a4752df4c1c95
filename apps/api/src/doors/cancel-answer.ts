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

/** Cancels an answer that is not stored if its client leaves before the end: nobody could read it any more. */
export function cancelWithClient(
  exchange: DoorExchange,
  place: AnswerPlace,
  isEnded: () => boolean,
): void {
  const { reply, services } = exchange;
  reply.raw.once("close", () => {
    // A server that shuts down leaves the answer to others.
    if (isEnded() || services.draining) return;
    cancelAnswer(exchange, place).catch(services.core.onLateFailure);
  });
}
