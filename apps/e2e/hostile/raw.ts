import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { type Answer, pathsOf, send } from "../request.ts";
import { type Server, within } from "../server.ts";

const PATIENCE_MS = 10_000;

/** A connection on which bytes are written as they are. */
export interface RawConnection extends Disposable {
  readonly socket: Socket;
  write(bytes: string | Uint8Array): void;
  /** The next answer; rejects when the server hangs up before it is whole. */
  answer(): Promise<Answer>;
  /** Resolves once the server has hung up, and gives what came since the last answer. */
  closed(): Promise<string>;
}

/**
 * Connects to a server, from another address of this machine if one is named. Text is written as
 * Latin-1, so that each character is a byte.
 */
export async function connectTo(
  server: Pick<Server, "url">,
  localAddress?: string,
): Promise<RawConnection> {
  const { hostname: host, port } = new URL(server.url);
  const from = localAddress === undefined ? {} : { localAddress };
  const socket = connect({ port: Number(port), host, allowHalfOpen: true, ...from });
  const received: Buffer[] = [];
  let ended = false;
  let wake = Promise.withResolvers<void>();
  const note = (): void => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  socket.on("data", (chunk: Buffer) => {
    received.push(chunk);
    note();
  });
  const end = (): void => {
    ended = true;
    note();
  };
  // A connection that is reset is closed too.
  socket.on("error", end).on("end", end).on("close", end);

  const rest = () => Buffer.concat(received).toString("latin1");
  const wait = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const value = look();
      if (value !== undefined) return value;
      if (ended) throw new Error(`The server hung up after ${JSON.stringify(rest())}`);
      await within(PATIENCE_MS, wake.promise);
    }
  };
  return {
    socket,
    write: (bytes) => void socket.write(typeof bytes === "string" ? latin1(bytes) : bytes),
    answer: () =>
      wait(() => {
        const parsed = parseAnswer(rest());
        if (parsed === undefined) return undefined;
        received.splice(0, received.length, latin1(parsed.rest));
        return parsed.answer;
      }),
    closed: () => wait(() => (ended ? rest() : undefined)),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

const latin1 = (text: string) => Buffer.from(text, "latin1");

/** Reads one answer from the front of what was received, if it is whole. */
function parseAnswer(text: string): { answer: Answer; rest: string } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`Not an answer: ${JSON.stringify(text)}`);
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const start = end + 4;
  const length = Number(headers.get("content-length") ?? 0);
  if (text.length < start + length) return undefined;
  const body = Buffer.from(text.slice(start, start + length), "latin1").toString("utf8");
  return {
    answer: { status: Number(status), headers, text: body },
    rest: text.slice(start + length),
  };
}

/** Writes bytes on a connection of their own and gives the first answer. */
export async function sendRaw(
  server: Pick<Server, "url">,
  bytes: string | Uint8Array,
): Promise<Answer> {
  using connection = await connectTo(server);
  connection.write(bytes);
  return await connection.answer();
}

/** The lines of a request with the admin's key, and the body behind them. */
export function compose(
  { demo }: Pick<Server, "demo">,
  requestLine: string,
  { headers = [], body = "" }: { headers?: readonly string[]; body?: string } = {},
): string {
  const lines = [
    requestLine,
    "Host: parley.test",
    `Authorization: Bearer ${demo.adminKey}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Expects that a server is well, and that nothing was stored on it. */
export async function expectUntouched(server: Server): Promise<void> {
  const ready = await send(server, { path: "/readyz", key: null });
  expect([ready.status, ready.text]).toEqual([200, expect.stringMatching(/^\{"status":"ok"[,}]/)]);
  const listed = await send(server, { path: pathsOf(server).conversations });
  expect(JSON.parse(listed.text)).toMatchObject({ conversations: [] });
}
