import type { MessageEvent } from "@parley/schema";
import { type DoorExchange, openLog } from "./door.ts";
import { readThrough } from "./send-events.ts";

/** A call that an answer has announced as waiting: its own, or that of a task. */
export interface AnnouncedCall {
  /** The answer that makes the call, where it is decided. */
  readonly params: { readonly cId: string; readonly mId: string };
  readonly waitsFor: Announcement["type"];
  /** Number of the event that has announced it last. */
  readonly seq: number;
}

type Announcement = Extract<MessageEvent, { readonly inputs: object }>;

interface Answer {
  readonly conversationId: string;
  readonly messageId: string;
  /** The calls of the answer itself. */
  readonly own: readonly { readonly sId: string }[];
}

/**
 * The calls that an answer has announced, by their ids. Nothing is read if all that are asked for are its own: these are
 * decided where the answer is.
 */
export async function findAnnounced(
  exchange: DoorExchange,
  { conversationId, messageId, own }: Answer,
  actionIds: readonly string[],
): Promise<ReadonlyMap<string, AnnouncedCall>> {
  const found = new Map<string, AnnouncedCall>();
  const known = new Set(own.map(({ sId }) => sId));
  if (actionIds.every((id) => known.has(id))) return found;
  const params = { cId: conversationId, mId: messageId };
  const query = { include: "function_calls" };
  const source = await openLog(exchange, "messages.events", { params, query });
  const encode = (event: MessageEvent, seq: number) => {
    if ("inputs" in event) {
      const { actionId, conversationId: cId, messageId: mId, type: waitsFor } = event;
      found.set(actionId, { params: { cId, mId }, waitsFor, seq });
    }
    return [];
  };
  await readThrough(exchange, source, { encode, isEnded: false }, { onlySoFar: true });
  return found;
}
