import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The requests of a process to a server, counted on the wire. */
export interface Traffic extends AsyncDisposable {
  /** The URL of the server through the tap. */
  readonly url: string;
  /** Requests since `clear`, by the name of the statement or the command. */
  readonly counts: ReadonlyMap<string, number>;
  clear(): void;
}

/** Reads the bytes of one connection, and calls `ask` with each request. */
type Reader = (chunk: Buffer) => void;
type CreateReader = (ask: (name: string) => void) => Reader;

/** Counts the SQL statements through the URL of the result, without TLS. */
export async function tapPostgres(url: string): Promise<Traffic> {
  return tap(url, readPostgres);
}

/** Counts the commands of Redis through the URL of the result. */
export async function tapRedis(url: string): Promise<Traffic> {
  return tap(url, readRedis);
}

async function tap(url: string, createReader: CreateReader): Promise<Traffic> {
  const { hostname, port } = new URL(url);
  const counts = new Map<string, number>();
  const ask = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on("data", createReader(ask));
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server on a TCP port has an address of this type.
  const tapped = new URL(url);
  tapped.port = String((server.address() as AddressInfo).port);
  tapped.hostname = "127.0.0.1";
  return {
    url: tapped.href,
    counts,
    clear: () => counts.clear(),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Reads the messages of PostgreSQL's clients: a startup without a type, then a type and a length. */
const readPostgres: CreateReader = (ask) => {
  const texts = new Map<string, string>();
  let bound = "";
  let rest: Buffer = Buffer.alloc(0);
  let hasStarted = false;
  const readMessage = (type: string, body: Buffer): void => {
    const [first = "", second = ""] = body.toString("utf8").split("\0", 2);
    if (type === "P") texts.set(first, first === "" ? headOf(second) : first);
    else if (type === "B") bound = texts.get(second) ?? second;
    else if (type === "E") ask(bound);
    else if (type === "Q") ask(headOf(first));
  };
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const start = hasStarted ? 1 : 0;
      if (rest.length < start + 4) return;
      const end = start + rest.readInt32BE(start);
      if (rest.length < end) return;
      if (hasStarted) readMessage(String.fromCodePoint(rest[0]!), rest.subarray(5, end));
      hasStarted = true;
      rest = rest.subarray(end);
    }
  };
};

/** The beginning of a statement without a name. */
const headOf = (text: string): string => text.trim().replaceAll(/\s+/g, " ").slice(0, 80);

/** Reads the commands of Redis' clients: arrays of strings, the first of which is the command. */
const readRedis: CreateReader = (ask) => {
  let rest: Buffer = Buffer.alloc(0);
  const readLine = (at: number): { value: string; next: number } | undefined => {
    const end = rest.indexOf("\r\n", at);
    return end === -1 ? undefined : { value: rest.toString("utf8", at, end), next: end + 2 };
  };
  const readCommand = (): { name: string; next: number } | undefined => {
    const head = readLine(0);
    if (head === undefined) return undefined;
    let { next } = head;
    let name = "";
    for (let index = 0; index < Number(head.value.slice(1)); index++) {
      const length = readLine(next);
      if (length === undefined) return undefined;
      const end = length.next + Number(length.value.slice(1));
      if (rest.length < end + 2) return undefined;
      if (index === 0) name = rest.toString("utf8", length.next, end).toUpperCase();
      next = end + 2;
    }
    return { name, next };
  };
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let command; (command = readCommand()) !== undefined;) {
      ask(command.name);
      rest = rest.subarray(command.next);
    }
  };
};
