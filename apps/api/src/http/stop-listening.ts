import type { Server } from "node:http";
import net from "node:net";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Silence after which nothing can still be on its way on a connection. */
const QUIET_MS = 250;
/** While closing: time without a new connection to wait for, and its upper bound. */
const SETTLED_MS = 100;
const MAX_SETTLING_MS = 1000;

/** Passes requests to their handlers, and stops listening in order. */
export function createDoor() {
  let held: (() => void)[] | undefined;
  return {
    /** Handles a request; a little later while the server stops listening. */
    enter: (handle: () => void): void => {
      if (held === undefined) handle();
      else held.push(handle);
    },
    /**
     * Stops listening without resetting a connection on which a client has sent something. Each
     * response of the last `announcedForMs` has asked for its connection to be closed; connections that
     * wait to be accepted are accepted; silent ones get 250 ms for a request.
     */
    close: async (server: Server, announcedForMs: number): Promise<void> => {
      if (await hasConnections(server)) await sleep(Math.max(0, QUIET_MS - announcedForMs));
      // Requests are held: clients with a response would open new connections without an end.
      const waiting: (() => void)[] = [];
      held = waiting;
      await acceptAll(server);
      // The HTTP server's own close would disconnect silent connections at once.
      net.Server.prototype.close.call(server);
      held = undefined;
      for (const handle of waiting) handle();
      if (await hasConnections(server)) await sleep(QUIET_MS);
    },
  };
}

/**
 * Accepts the waiting connections, until none has come for a while. Resolves right after the loop has looked at the
 * sockets: those of a busy machine come while the process waits for the processor, after the time has passed.
 */
async function acceptAll(server: Server): Promise<void> {
  const giveUpAt = performance.now() + MAX_SETTLING_MS;
  let count = 0;
  const onConnection = (): void => void count++;
  server.on("connection", onConnection);
  let before: number;
  do {
    before = count;
    await sleep(SETTLED_MS);
    await setImmediate();
  } while (count !== before && performance.now() < giveUpAt);
  server.off("connection", onConnection);
}

async function hasConnections(server: Server): Promise<boolean> {
  return (await promisify(server.getConnections.bind(server))()) > 0;
}
