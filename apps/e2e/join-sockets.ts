import net from "node:net";

/** A client of a proxy and the server behind it: what one of them closes, is closed for the other. */
export function joinSockets(
  client: net.Socket,
  target: { readonly host: string; readonly port: number },
  sockets: Set<net.Socket>,
): net.Socket {
  const upstream = net.connect(target.port, target.host);
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
  client.pipe(upstream);
  return upstream;
}
