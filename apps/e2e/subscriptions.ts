import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { TRPCClientError } from "@trpc/client";

/** An event of a subscription with the number that it has in its log. */
export interface Tracked<T> {
  readonly id: string;
  readonly data: T;
}

interface Observer<T> {
  onData(event: Tracked<T>): void;
  onComplete(): void;
  onError(error: unknown): void;
}

/** A subscription that collects what it is told. */
export interface Subscribed<T> {
  readonly events: readonly Tracked<T>[];
  /** Resolves with `complete`, or with the type of the error that ended it. */
  readonly end: Promise<string>;
  unsubscribe(): void;
}

/** Starts a subscription, and calls `seen` with each number of an event that came. */
export function collect<T>(
  subscribe: (observer: Observer<T>) => { unsubscribe(): void },
  seen: (count: number) => void = () => {},
): Subscribed<T> {
  const events: Tracked<T>[] = [];
  const { promise: end, resolve } = Promise.withResolvers<string>();
  const subscription = subscribe({
    onData: ({ id, data }) => {
      events.push({ id, data });
      seen(events.length);
    },
    onComplete: () => resolve("complete"),
    onError: (error) => resolve(typeOf(error)),
  });
  return { events, end, unsubscribe: () => subscription.unsubscribe() };
}

function typeOf(error: unknown): string {
  if (!(error instanceof TRPCClientError)) return String(error);
  const { type, code } = (error.data ?? {}) as { type?: string; code?: string };
  return type === undefined ? error.message : `${code} ${type}`;
}

/** A way to a server that can be cut. */
export interface Detour extends AsyncDisposable {
  readonly url: string;
  /** Breaks the connections that are open. */
  cut(): void;
}

/** Opens a port that passes bytes on to the server. */
export async function openDetour(target: string): Promise<Detour> {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(target);
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) keep(socket);
    client.pipe(server).pipe(client);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut,
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      cut();
    },
  };
}
