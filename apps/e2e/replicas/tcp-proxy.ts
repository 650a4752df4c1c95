import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A network between clients and a server that a test can cut, slow down and silence. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks the connections, and refuses new ones until `mend`. */
  cut(): void;
  /** Breaks the connections with a reset; new ones are passed on. */
  reset(): void;
  /** Passes nothing on any more, of old and new connections, until `reset` or `mend`. */
  freeze(): void;
  /** Passes no answers on any more, though all requests, of old and new connections until `reset`. */
  deafen(): void;
  /** Forgets the connections: they stay open and no byte passes again. New ones are passed on. */
  abandon(): void;
  /** The same, and so it does with new ones for as long: nothing is closed. */
  silence(ms: number): Promise<void>;
  /** Lets bytes wait this long, in each direction; 0 for not at all. */
  delay(ms: number): void;
  /** Lets everything pass again; what was abandoned is broken at last. */
  mend(): void;
}

/** Passes connections to a port of the loopback on. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  const abandoned = new Set<net.Socket>();
  let isCut = false;
  let isFrozen = false;
  let isSilent = false;
  let isDeaf = false;
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
      if (isSilent) abandoned.add(from);
      if (isFrozen) from.pause();
      from.setNoDelay(true);
      passOn(from, to, {
        delayMs: () => delayMs,
        isDropped: () => abandoned.has(from) || (isDeaf && from === target),
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        if (!abandoned.delete(from)) to.destroy();
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
    reset: () => {
      isFrozen = false;
      isDeaf = false;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    abandon: () => {
      for (const socket of sockets) abandoned.add(socket);
    },
    deafen: () => {
      isDeaf = true;
    },
    silence: async (ms) => {
      isSilent = true;
      for (const socket of sockets) abandoned.add(socket);
      await sleep(ms);
      isSilent = false;
    },
    delay: (ms) => void (delayMs = ms),
    mend: () => {
      isCut = false;
      isFrozen = false;
      delayMs = 0;
      for (const socket of abandoned) socket.destroy();
      for (const socket of sockets) socket.resume();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Way {
  readonly delayMs: () => number;
  readonly isDropped: () => boolean;
}

/** Writes what comes from one side to the other, in order and no faster than it is taken. */
function passOn(from: net.Socket, to: net.Socket, { delayMs, isDropped }: Way): void {
  const write = (chunk: Buffer): void => {
    if (isDropped()) return;
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
  from.on("end", () => {
    if (isDropped()) return;
    setTimeout(() => to.end(), Math.max(0, dueAt - performance.now()));
  });
}
