import type { StoredEvent } from "@parley/core";
import type { EncodeFrames, Frames } from "../transports/sse-frames.ts";
import { escapeLineEnds } from "../transports/sse-frames.ts";

// A codec is a state machine over the events of a log, from the first: what a client has is encoded again and left
// out, so that a resumed stream continues with the same bytes, whichever server it reaches.

/** A frame of Server-Sent Events. */
export interface Frame {
  /** What follows `data: `: mostly JSON. */
  readonly data: string;
  /** What follows `event: `, if the protocol names its events. */
  readonly event?: string;
}

/** Turns the events of one log into frames of another protocol; a new one for each stream. */
export interface EventCodec<Event> {
  /** The frames before the first event. */
  begin?(): readonly Frame[];
  /** The frames of the next event; events come in the order of their numbers. */
  encode(event: Event, seq: number): readonly Frame[];
  /** The frames that follow the last ones, for what has to be read first; called once it has ended. */
  finish?(): Promise<readonly Frame[]>;
  /** Whether nothing follows what was encoded: true after the last event, and where a protocol ends its streams. */
  readonly isEnded: boolean;
}

/** The place of a frame: the number of its event, 0 before the first, and its own among those of the event. */
export interface FramePlace {
  readonly seq: number;
  readonly index: number;
  /** Its number among all frames of the stream, from 0. */
  readonly count: number;
}

interface FrameEncoding<Event> {
  readonly codec: EventCodec<Event>;
  /** Event types that the client does not get. */
  readonly hidden: ReadonlySet<string>;
  /** Whether the client has a frame already; by default it has none. */
  readonly isKnown?: ((place: FramePlace) => boolean) | undefined;
  /** Whether frames have a line `id:`, `<seq>.<index>`. */
  readonly withIds?: boolean;
}

/** A log in another protocol's frames. */
interface EncodedLog {
  readonly beginning: Frames;
  readonly encode: EncodeFrames;
  readonly finish: (() => Promise<Frames>) | undefined;
}

// Followers of a log get the same arrays, which are short-lived.
const parsedEvents = new WeakMap<readonly StoredEvent[], readonly unknown[]>();

/** The payloads of events; followers that get the same events share them, so nobody changes them. */
function parseEvents(events: readonly StoredEvent[]): readonly unknown[] {
  return parsedEvents.getOrInsertComputed(events, () => {
    // One array is parsed faster than each of its items.
    const json = `[${events.map(({ payload }) => payload).join(",")}]`;
    return JSON.parse(json) as readonly unknown[];
  });
}

/** Encodes a log through a codec: what comes first, and then the events from number 1. */
export function encodeThrough<Event>({
  codec,
  hidden,
  isKnown,
  withIds = false,
}: FrameEncoding<Event>): EncodedLog {
  let count = 0;
  let last = 0;
  let written = 0;
  let text = "";
  let sent = 0;
  const write = (frames: readonly Frame[], seq: number, from = 0): void => {
    last = seq;
    written = from + frames.length;
    for (const [position, { data, event }] of frames.entries()) {
      const index = from + position;
      if (isKnown?.({ seq, index, count: count++ }) === true) continue;
      if (withIds) text += `id: ${seq}.${index}\n`;
      if (event !== undefined) text += `event: ${event}\n`;
      text += `data: ${data}\n\n`;
      sent++;
    }
  };
  /** What was written since the last call. */
  const take = (): Frames => {
    const bytes = Buffer.from(escapeLineEnds(text));
    const frames = { bytes, count: sent, isLast: codec.isEnded };
    text = "";
    sent = 0;
    return frames;
  };
  write(codec.begin?.() ?? [], 0);
  return {
    beginning: take(),
    encode: (events: readonly StoredEvent[]) => {
      const parsed = parseEvents(events);
      for (const [index, { seq, type }] of events.entries()) {
        if (codec.isEnded) break;
        if (hidden.has(type)) continue;
        // The log holds what its endpoint describes.
        write(codec.encode(parsed[index] as Event, seq), seq);
      }
      return take();
    },
    finish:
      codec.finish &&
      (async () => {
        write((await codec.finish?.()) ?? [], last, written);
        return take();
      }),
  };
}

/** Reads `<seq>.<index>` as the place of the last frame that a client has; undefined for what is none. */
export function parsePlace(text: string): Pick<FramePlace, "seq" | "index"> | undefined {
  const [, seq, index] = /^(\d{1,15})\.(\d{1,9})$/.exec(text) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), index: Number(index) };
}

/** Whether a frame is not after a place. */
export function isUpTo(
  { seq, index }: Pick<FramePlace, "seq" | "index">,
  last: Pick<FramePlace, "seq" | "index">,
): boolean {
  return seq < last.seq || (seq === last.seq && index <= last.index);
}
