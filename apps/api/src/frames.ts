import type { LogStream, StoredEvent } from "@parley/core";

/** Makes frames of events; what it gives is empty where all of them are hidden. */
export type EncodeFrames = (events: readonly StoredEvent[]) => Buffer;

const encoders = new Map<string, EncodeFrames>();

/** Gives the encoder of a stream: followers who are sent the same events share the same bytes. */
export function frameEncoder(
  { enveloped, hidden }: Pick<LogStream, "enveloped" | "hidden">,
  withIds: boolean,
): EncodeFrames {
  const name = JSON.stringify([enveloped, withIds, ...hidden]);
  return encoders.getOrInsertComputed(name, () => {
    // Followers of a log get the same arrays, each of which is soon forgotten.
    const encoded = new WeakMap<readonly StoredEvent[], Buffer>();
    const encode: EncodeFrames = (events) =>
      Buffer.from(
        events
          .filter((event) => !hidden.has(event.type))
          .map((event) => formatFrame(event, { enveloped, withIds }))
          .join(""),
      );
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
