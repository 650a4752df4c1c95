import { once } from "node:events";
import net from "node:net";

/** A network between clients and a server that a test can cut and slow down. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks the connections, and refuses new ones until `mend`. */
  cut(): void;
  /** Lets bytes wait this long, in each direction; 0 for not at all. */
  delay(ms: number): void;
  mend(): void;
}

/** Passes connections to a port of the loopback on. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  let isCut = false;
  let delayMs = 0;
  const server = net.createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const target = net.connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      passOn(from, to, () => delayMs);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    delay: (ms) => void (delayMs = ms),
    mend: () => {
      isCut = false;
      delayMs = 0;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Writes what comes from one side to the other, in order and no faster than it is taken. */
function passOn(from: net.Socket, to: net.Socket, delayMs: () => number): void {
  const write = (chunk: Buffer): void => {
    if (!to.destroyed && !to.write(chunk)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
  };
  let dueAt = 0;
  from.on("data", (chunk: Buffer) => {
    // What is delayed stays before what comes later and is delayed less.
    dueAt = Math.max(dueAt, performance.now() + delayMs());
    const waitMs = dueAt - performance.now();
    if (waitMs < 1) write(chunk);
    else setTimeout(write, waitMs, chunk);
  });
  from.on("end", () => setTimeout(() => to.end(), Math.max(0, dueAt - performance.now())));
}
