import type { LogStream, StoredEvent } from "@parley/core";

/** How events are written for a follower. */
export type FrameFormat = Pick<LogStream, "enveloped" | "hidden"> & {
  /** Whether each frame begins with an `id:` line: the client resumes. */
  readonly withIds: boolean;
};

/** Makes frames of events, so that followers who are sent the same share the same bytes. */
export type EncodeFrames = (events: readonly StoredEvent[]) => Buffer;

// Followers of a log get the same arrays, each of which is soon forgotten.
const encoded = new WeakMap<readonly StoredEvent[], Map<string, Buffer>>();

/** Makes the encoder of a format; what it gives is empty where all events are hidden. */
export function frameEncoder(format: FrameFormat): EncodeFrames {
  const name = JSON.stringify([format.enveloped, format.withIds, ...format.hidden]);
  return (events) => {
    const ofEvents = encoded.getOrInsertComputed(events, () => new Map<string, Buffer>());
    return ofEvents.getOrInsertComputed(name, () =>
      Buffer.from(
        events
          .filter((event) => !format.hidden.has(event.type))
          .map((event) => formatFrame(event, format))
          .join(""),
      ),
    );
  };
}

/** One event as a frame: `data:` alone, behind `id:` for a client that resumes. */
export function formatFrame(
  event: StoredEvent,
  { enveloped, withIds }: Pick<FrameFormat, "enveloped" | "withIds">,
): string {
  const data = enveloped ? `{"eventId":"${event.seq}","data":${event.payload}}` : event.payload;
  return `${withIds ? `id: ${event.seq}\n` : ""}data: ${data}\n\n`;
}
