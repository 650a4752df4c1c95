import type { LogStream, StoredEvent } from "@parley/core";

/** The frames of events, and their number: hidden events have none. */
export interface Frames {
  readonly bytes: Buffer;
  readonly count: number;
  /** Whether the stream ends with them, whatever comes after in its log. */
  readonly isLast?: boolean;
}

export type EncodeFrames = (events: readonly StoredEvent[]) => Frames;

const encoders = new Map<string, EncodeFrames>();

/** Returns the encoder of a stream; followers that get the same events share their bytes. */
export function frameEncoder(
  { enveloped, hidden }: Pick<LogStream, "enveloped" | "hidden">,
  withIds: boolean,
): EncodeFrames {
  const name = JSON.stringify([enveloped, withIds, ...hidden]);
  return encoders.getOrInsertComputed(name, () => {
    // Followers of a log get the same arrays, which are short-lived.
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

const lineEnds = /[\u0085\u2028\u2029]/;

/** Escapes characters that readers of some languages take for line ends. */
export function escapeLineEnds(json: string): string {
  if (!lineEnds.test(json)) return json;
  // JSON contains them only in strings.
  return json
    .replaceAll("\u0085", "\\u0085")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** One event as a frame: `data:` alone, after `id:` for a client that resumes. */
export function formatFrame(
  event: StoredEvent,
  { enveloped, withIds }: { enveloped: boolean; withIds: boolean },
): string {
  const { seq, id = String(seq), payload } = event;
  const data = enveloped ? `{"eventId":"${id}","data":${payload}}` : payload;
  return `${withIds ? `id: ${id}\n` : ""}${formatData(data)}`;
}

/** JSON as a frame without a number. */
export function formatData(json: string): string {
  return `data: ${escapeLineEnds(json)}\n\n`;
}
