import { once } from "node:events";
import net from "node:net";
import { joinSockets } from "../join-sockets.ts";

/** A way to a server that is shut as if the server had died, or lets nothing through as if it hung. */
export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** Breaks all connections, and refuses others. */
  shut(): Promise<void>;
  /** Lets everything through again, at the same port. */
  open(): Promise<void>;
  /** Lets nothing through; connections stay. */
  hold(): void;
}

/** Opens a gate to a server. */
export async function openGate(url: string): Promise<Gate> {
  const { hostname: host, port: targetPort } = new URL(url);
  const target = { host, port: Number(targetPort) };
  const sockets = new Set<net.Socket>();
  let isHeld = false;
  let port = 0;
  let server: net.Server;
  const listen = async (): Promise<void> => {
    server = net.createServer((client) => {
      const upstream = joinSockets(client, target, sockets);
      upstream.pipe(client);
      if (isHeld) client.pause();
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as net.AddressInfo);
  };
  const shut = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  };
  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    shut,
    open: async () => {
      isHeld = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen();
    },
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    [Symbol.asyncDispose]: shut,
  };
}
