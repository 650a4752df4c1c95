import { createParser, type EventSourceMessage } from "eventsource-parser";
import { brokenConnection } from "./connection.ts";
import { ParleyError } from "./errors.ts";

/** Characters of one frame; the largest that the server makes carries an answer of some MiB. */
const MAX_FRAME_CHARACTERS = 64 * 1024 * 1024;

/**
 * Yields the frames of a Server-Sent Events stream. A chunk is read when the frames of the one before
 * it were taken, so a slow reader slows the server down. Throws `connection_failed` when the
 * connection breaks, or nothing comes for `idleTimeoutMs` while a frame is waited for.
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
