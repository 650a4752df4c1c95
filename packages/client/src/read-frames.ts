import { createParser, type EventSourceMessage } from "eventsource-parser";
import { brokenConnection } from "./connection.ts";
import { ParleyError } from "./errors.ts";

/** Longest frame, in characters; those of the server carry an answer of some MiB at most. */
const MAX_FRAME_CHARACTERS = 64 * 1024 * 1024;

/**
 * Yields the frames of a Server-Sent Events stream. A chunk is read once the frames of the previous one
 * are consumed, so a slow reader slows the server down. Throws `connection_failed` when the connection
 * breaks, or is silent for `idleTimeoutMs` during a read.
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  { idleTimeoutMs, onAlive }: { idleTimeoutMs: number; onAlive: () => void },
): AsyncGenerator<EventSourceMessage, void, undefined> {
  let frames: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (frame) => void frames.push(frame),
    onComment: onAlive,
    maxBufferSize: MAX_FRAME_CHARACTERS,
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(idleTimeoutMs, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      const complete = frames;
      frames = [];
      for (const frame of complete) {
        onAlive();
        yield frame;
      }
    }
  } catch (error) {
    throw error instanceof ParleyError ? error : brokenConnection(error);
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function within<T>(idleTimeoutMs: number, read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    if (idleTimeoutMs >= 2 ** 31) return;
    timer = setTimeout(() => {
      const message = `Nothing came from the server for ${idleTimeoutMs} ms`;
      reject(new ParleyError("connection_failed", message));
    }, idleTimeoutMs);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
