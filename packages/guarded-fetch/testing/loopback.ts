import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of tests. */
export interface Loopback extends AsyncDisposable {
  /** As `allowedHosts` has it. */
  readonly host: string;
  readonly origin: string;
}

/** Starts a server on a port of its own. */
export async function startLoopback(listener: RequestListener): Promise<Loopback> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `http://${host}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
