import type { LogStream, StoredEvent } from "@parley/core";

/** The frames of events, and how many they are: fewer where some are hidden. */
interface Frames {
  readonly bytes: Buffer;
  readonly count: number;
}

export type EncodeFrames = (events: readonly StoredEvent[]) => Frames;

const encoders = new Map<string, EncodeFrames>();

/** Gives the encoder of a stream: followers who are sent the same events share the same bytes. */
export function frameEncoder(
  { enveloped, hidden }: Pick<LogStream, "enveloped" | "hidden">,
  withIds: boolean,
): EncodeFrames {
  const name = JSON.stringify([enveloped, withIds, ...hidden]);
  return encoders.getOrInsertComputed(name, () => {
    // Followers of a log get the same arrays, each of which is soon forgotten.
    const encoded = new WeakMap<readonly StoredEvent[], Frames>();
    const encode: EncodeFrames = (events) => {
      const frames = events
        .filter((event) => !hidden.has(event.type))
        .map((event) => formatFrame(event, { enveloped, withIds }));
      return { bytes: Buffer.from(frames.join("")), count: frames.length };
    };
    return (events) => encoded.getOrInsertComputed(events, encode);
  });
}

/** One event as a frame: `data:` alone, behind `id:` for a client that resumes. */
export function formatFrame(
  event: StoredEvent,
  { enveloped, withIds }: { enveloped: boolean; withIds: boolean },
): string {
  const data = enveloped ? `{"eventId":"${event.seq}","data":${event.payload}}` : event.payload;
  return `${withIds ? `id: ${event.seq}\n` : ""}data: ${data}\n\n`;
}
