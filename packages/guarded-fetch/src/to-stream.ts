import { ReadableStream as NodeStream } from "node:stream/web";

/** A stream that makes each chunk when it is asked for, and none after its reader stopped. */
export function toStream(
  chunks: AsyncGenerator<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // The types of Node and of browsers describe the same class.
  return NodeStream.from(chunks) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
}
