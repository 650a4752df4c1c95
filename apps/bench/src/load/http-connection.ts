import { once } from "node:events";
import { connect } from "node:net";

/** No answer of a benchmark takes this long. */
const SILENCE_MS = 30_000;
const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** A kept-alive connection that carries one request at a time. */
export interface HttpConnection {
  /** Sends a whole request. Throws when the connection breaks or falls silent. */
  send(request: Buffer): Promise<Answer>;
  close(): void;
}

/**
 * Connects. It reads only what our servers answer, bodies with a length: the less the generator
 * works, the more of the machine is left to what is measured.
 */
export async function openConnection(host: string, port: number): Promise<HttpConnection> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, "connect");
  let waiting: PromiseWithResolvers<Answer> | undefined;
  let received: Buffer = Buffer.alloc(0);
  let broken: Error | undefined;
  const fail = (error: Error): void => {
    broken ??= error;
    waiting?.reject(broken);
    socket.destroy();
  };
  socket.setTimeout(SILENCE_MS, () => fail(new Error(`No answer within ${SILENCE_MS / 1000} s`)));
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The server closed the connection")));
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    try {
      const answer = parseAnswer(received);
      if (answer === undefined) return;
      received = Buffer.alloc(0);
      waiting?.resolve(answer);
    } catch (error) {
      fail(error as Error);
    }
  });
  return {
    send: (request) => {
      waiting = Promise.withResolvers<Answer>();
      if (broken === undefined) socket.write(request);
      else waiting.reject(broken);
      return waiting.promise;
    },
    close: () => {
      waiting = undefined;
      socket.destroy();
    },
  };
}

/**
 * The answer that the bytes are, or undefined while it is not whole. A body in chunks is left as it is.
 * Throws on any other form.
 */
export function parseAnswer(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const bodyStart = headEnd + HEAD_END.length;
  if (status !== undefined && /\r\ntransfer-encoding: *chunked/i.test(head)) {
    // The end of a stream: JSON has no line breaks, so no event contains it.
    const isWhole = bytes
      .subarray(bodyStart - 2)
      .subarray(-LAST_CHUNK.length)
      .equals(LAST_CHUNK);
    return isWhole ? { status: Number(status), body: bytes.subarray(bodyStart) } : undefined;
  }
  // There is never a body behind a 304.
  const length = status === "304" ? "0" : /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (status === undefined || length === undefined) throw new Error(`Unexpected answer: ${head}`);
  const bodyEnd = bodyStart + Number(length);
  if (bytes.length < bodyEnd) return undefined;
  if (bytes.length > bodyEnd) throw new Error(`More than one answer: ${head}`);
  return { status: Number(status), body: bytes.subarray(bodyStart) };
}
