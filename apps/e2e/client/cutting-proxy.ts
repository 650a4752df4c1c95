import { once } from "node:events";
import net from "node:net";
import { joinSockets } from "../join-sockets.ts";

/** A way to a server that breaks each connection after some bytes of the answers. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Connections that were cut so far. */
  readonly cuts: () => number;
}

/** Passes connections on; `nextCut` says behind how many bytes of the server's each is cut. */
export async function startCuttingProxy(
  target: string,
  nextCut: () => number,
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<net.Socket>();
  let cuts = 0;
  const server = net.createServer((client) => {
    const upstream = joinSockets(client, { host: hostname, port: Number(port) }, sockets);
    let left = nextCut();
    upstream.on("data", (bytes: Buffer) => {
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      client.write(passed);
      if (left > 0) return;
      cuts++;
      // The last byte goes out, and nothing behind it.
      client.end();
      upstream.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    cuts: () => cuts,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
