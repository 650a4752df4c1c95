import { connect, type Socket } from "node:net";
import { monotonicMs, ROUND_MARK } from "./publish-plan.ts";

/** No stream takes this long to open, and no event to arrive. */
const PATIENCE_MS = 30_000;
/** Opened at once: fewer than a listening socket's queue holds. */
const BATCH = 100;
/** Of many deliveries, every so many-th is timed: the generator is not to be the slow part. */
const TIMED_EACH = 7;
const MANY_DELIVERIES = 50_000;
const MARK = ROUND_MARK.charCodeAt(0);
const ZERO = "0".charCodeAt(0);
const SPACE = " ".charCodeAt(0);

/** Streams to open: each of the requests, in turn, until there are `count`. */
export interface FollowerPlan {
  readonly port: number;
  readonly requests: readonly string[];
  readonly count: number;
}

/** What arrived. */
export interface Arrivals {
  readonly deliveries: number;
  /** Rounds of the deliveries that were timed, and when they came, on the clock all share. */
  readonly timed: readonly (readonly [round: number, atMs: number])[];
}

/** Open streams that are counted together. */
export interface Followers {
  /** Opens streams. Throws at the first that is not answered with 200. */
  open(plan: FollowerPlan): Promise<void>;
  /** Begins to count again. */
  watch(deliveries: number): void;
  /** Resolves once as many as are watched for have come; throws when one breaks or none comes. */
  arrivals(): Promise<Arrivals>;
  close(): void;
}

/** Makes an empty set of followers. */
export function createFollowers(): Followers {
  const sockets = new Set<Socket>();
  // Sockets are read one at a time, and nothing is kept of what they bring.
  const shared = Buffer.allocUnsafe(64 * 1024);
  let expected = 0;
  let timedEach = 1;
  let deliveries = 0;
  let timed: [number, number][] = [];
  let broken: Error | undefined;
  let settle: (() => void) | undefined;

  const receive = (bytes: Buffer): void => {
    const at = monotonicMs();
    readRounds(bytes, (readRound) => {
      deliveries++;
      if (deliveries % timedEach !== 0) return;
      const round = readRound();
      if (round !== undefined) timed.push([round, at]);
    });
    if (deliveries >= expected) settle?.();
  };

  const openOne = (port: number, request: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let answered = false;
    const fail = (error: Error): void => {
      if (!sockets.delete(socket)) return;
      broken ??= error;
      reject(error);
      settle?.();
      socket.destroy();
    };
    const socket = connect({
      host: "127.0.0.1",
      port,
      onread: {
        buffer: shared,
        callback: (length, buffer) => {
          // The same buffer that was given.
          const bytes = (buffer as Buffer).subarray(0, length);
          if (!answered) {
            answered = true;
            const head = bytes.toString("latin1");
            if (!head.startsWith("HTTP/1.1 200 ")) fail(new Error(`A stream got: ${head}`));
            else resolve();
          }
          receive(bytes);
          return true;
        },
      },
    });
    sockets.add(socket);
    const late = setTimeout(() => fail(new Error("A stream was not answered")), PATIENCE_MS);
    socket.on("error", fail);
    socket.on("close", () => fail(new Error("A stream was closed")));
    socket.on("connect", () => socket.write(request));
    return promise.finally(() => clearTimeout(late));
  };

  return {
    open: async ({ port, requests, count }) => {
      for (let first = 0; first < count; first += BATCH) {
        const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) =>
          openOne(port, requests[(first + index) % requests.length] ?? ""),
        );
        await Promise.all(batch);
      }
    },
    watch: (count) => {
      expected = count;
      timedEach = count > MANY_DELIVERIES ? TIMED_EACH : 1;
      deliveries = 0;
      timed = [];
    },
    arrivals: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      settle = resolve;
      const timer = setTimeout(resolve, PATIENCE_MS);
      if (deliveries >= expected || broken !== undefined) resolve();
      await promise.finally(() => clearTimeout(timer));
      settle = undefined;
      if (broken !== undefined) throw broken;
      if (deliveries !== expected) {
        throw new Error(`${deliveries} events arrived in place of ${expected}`);
      }
      return { deliveries, timed };
    },
    close: () => {
      const closing = [...sockets];
      sockets.clear();
      // A reset leaves no port behind that waits.
      for (const socket of closing) socket.resetAndDestroy();
    },
  };
}

/**
 * Finds the events in the bytes of a stream. `onEvent` is called once for each; what it is given
 * reads the number of the event's round, or undefined if the bytes end within it.
 */
export function readRounds(
  bytes: Buffer,
  onEvent: (readRound: () => number | undefined) => void,
): void {
  // A mark is a single byte, so none is missed if a frame comes in two pieces.
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    onEvent(() => readNumber(bytes, at + 1));
  }
}

function readNumber(bytes: Buffer, start: number): number | undefined {
  let value = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? SPACE;
    if (byte === SPACE) return value;
    value = value * 10 + byte - ZERO;
  }
  return undefined;
}
