import { once } from "node:events";
import net from "node:net";

/** A network before PostgreSQL that can lose one answer together with its connection. */
export interface AnswerLosingProxy extends AsyncDisposable {
  /** The database's url, by way of the proxy. */
  readonly url: string;
  /**
   * From now on, the next connection that sends `text` has what it sends carried out, and breaks in
   * place of the answer. Resolves when that has happened.
   */
  loseAnswerTo(text: string): Promise<void>;
}

/** Passes connections to the database at `url` on. */
export async function startAnswerLosingProxy(url: string): Promise<AnswerLosingProxy> {
  const target = new URL(url);
  const sockets = new Set<net.Socket>();
  let armed: { readonly text: string; readonly lost: () => void } | undefined;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname);
    let lost: (() => void) | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => {
      if (armed !== undefined && data.includes(armed.text)) {
        ({ lost } = armed);
        armed = undefined;
      }
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (lost === undefined) client.write(data);
      else {
        // The server answers once it has done it.
        client.destroy();
        lost();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxied = new URL(url);
  proxied.hostname = "127.0.0.1";
  proxied.port = String((server.address() as net.AddressInfo).port);
  return {
    url: proxied.href,
    loseAnswerTo: (text) =>
      new Promise<void>((resolve) => {
        armed = { text, lost: resolve };
      }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
