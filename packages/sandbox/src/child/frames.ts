import { writeSync } from "node:fs";

// A frame is the length of its JSON and of its bytes, four bytes each, and then both.
const HEAD_BYTES = 8;

/** One message between the sandbox and a child. */
export interface Frame<T> {
  readonly message: T;
  readonly body: Buffer;
}

const NO_BODY = Buffer.alloc(0);

/** A frame as bytes. */
export function encodeFrame(message: unknown, body: Uint8Array = NO_BODY): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(json.length, 0);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, json, body]);
}

/**
 * Reads frames out of chunks. Throws for a frame of more than `maxBytes`, before it is kept, and for one that
 * is not JSON: what comes out of a child is not trusted.
 */
export function createFrameReader<T>(maxBytes: () => number) {
  let chunks: Buffer[] = [];
  let held = 0;
  const join = (): Buffer => {
    const joined = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    chunks = [joined];
    return joined;
  };
  return function* read(chunk: Buffer): Generator<Frame<T>, void, undefined> {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= HEAD_BYTES) {
      // A head may be split; a body is joined once, when all of it is there.
      if (chunks[0]!.length < HEAD_BYTES) join();
      const head = chunks[0]!;
      const jsonBytes = head.readUInt32LE(0);
      const bytes = HEAD_BYTES + jsonBytes + head.readUInt32LE(4);
      if (bytes > maxBytes()) throw new Error(`A frame of ${bytes} bytes is too large`);
      if (held < bytes) return;
      const joined = join();
      const json = joined.toString("utf8", HEAD_BYTES, HEAD_BYTES + jsonBytes);
      const body = joined.subarray(HEAD_BYTES + jsonBytes, bytes);
      chunks = bytes === joined.length ? [] : [joined.subarray(bytes)];
      held -= bytes;
      yield { message: JSON.parse(json) as T, body };
    }
  };
}

/** Writes all of the bytes before it returns: a program that prints too much waits for its reader. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));
