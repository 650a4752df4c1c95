// A stream of the Connect protocol: each message is a byte of flags, its length in four bytes, and its JSON.

const HEAD_BYTES = 5;
const END_OF_STREAM = 2;

/** One message as it is sent. */
export function encodeFrame(message: object): Buffer<ArrayBuffer> {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

/** A message of a stream, or what ends it. */
export interface Frame {
  readonly isEnd: boolean;
  readonly message: unknown;
}

/**
 * The messages of a stream as they come. Throws a `RangeError` for one that says that it has more bytes than the
 * limit, before it is read, and a `SyntaxError` for one that is not JSON.
 */
export async function* readFrames(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Frame, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    while (held.length >= HEAD_BYTES) {
      const length = held.readUInt32BE(1);
      if (length > maxBytes) throw new RangeError(`A message of ${length} bytes`);
      const end = HEAD_BYTES + length;
      if (held.length < end) break;
      const message: unknown = JSON.parse(held.toString("utf8", HEAD_BYTES, end) || "{}");
      yield { isEnd: (held[0]! & END_OF_STREAM) !== 0, message };
      held = held.subarray(end);
    }
  }
}
