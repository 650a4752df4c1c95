import { once } from "node:events";
import net from "node:net";
import { joinSockets } from "../../join-sockets.ts";

/** A server that dies: for whoever reaches it by this way. */
export interface DyingProxy extends AsyncDisposable {
  readonly port: number;
  /** Breaks every connection, and refuses new ones. */
  die(): void;
}

/** Passes connections on until so many bytes of answers have come, or `die`. */
export async function startDyingProxy(
  target: { readonly host: string; readonly port: number },
  afterBytes: number,
): Promise<DyingProxy> {
  const sockets = new Set<net.Socket>();
  let left = afterBytes;
  const server = net.createServer((client) => {
    const upstream = joinSockets(client, target, sockets);
    upstream.on("data", (bytes: Buffer) => {
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) die();
    });
  });
  // What was written before it arrives, and then the connection is gone, as when a process ends.
  const die = (): void => {
    server.close();
    for (const socket of sockets) socket.destroySoon();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    die,
    [Symbol.asyncDispose]: async () => {
      die();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, "close");
    },
  };
}
