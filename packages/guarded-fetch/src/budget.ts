import type { Socket } from "node:net";
import { FetchFault } from "./fetch-fault.ts";

/** What a session may use. */
export interface FetchLimits {
  /** For everything, from when it is opened. */
  readonly timeoutMs: number;
  /** Of all bodies together, as they are decoded. */
  readonly maxBytes: number;
  readonly maxRequests?: number;
  readonly signal?: AbortSignal;
}

/** What is left of a session's limits. The first fault ends the session. */
export interface Budget {
  /** Aborted with the fault when a limit is reached. */
  readonly signal: AbortSignal;
  readonly fault: FetchFault | undefined;
  takeRequest(): void;
  takeBytes(bytes: number): void;
  /** Also counts what a connection brings beside bodies: headers without end, padding of chunks. */
  watch(connection: Socket): void;
  /** Ends what is under way, without a fault of the session. */
  end(): void;
}

/** Sites and servers are asked a few times for one thing; more is a server that plays. */
const MAX_REQUESTS = 256;
/** What connections may bring for each byte of a body, and at least. */
const MAX_OVERHEAD = 2;
const MIN_OVERHEAD_BYTES = 1_048_576;

/** Begins to spend limits. */
export function createBudget(limits: FetchLimits): Budget {
  const { timeoutMs, maxBytes, maxRequests = MAX_REQUESTS, signal } = limits;
  const controller = new AbortController();
  let fault: FetchFault | undefined;
  let bytes = 0;
  let requests = 0;
  const stop = (reason: FetchFault): FetchFault => {
    if (!controller.signal.aborted) fault = reason;
    controller.abort(reason);
    release();
    return fault ?? reason;
  };
  const cancel = () => stop(new FetchFault("cancelled", "Cancelled"));
  const timer = setTimeout(
    () => stop(new FetchFault("timed_out", `No answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const connections: Socket[] = [];
  const weigh = (): void => {
    const read = connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    if (read > maxBytes * MAX_OVERHEAD + MIN_OVERHEAD_BYTES) stop(tooLarge());
  };
  const tooLarge = () => new FetchFault("too_large", `The answer is larger than ${maxBytes} bytes`);
  const release = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  };
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  return {
    signal: controller.signal,
    get fault() {
      return fault;
    },
    takeRequest() {
      if (fault !== undefined) throw fault;
      if (++requests > maxRequests) {
        throw stop(new FetchFault("too_large", `More than ${maxRequests} requests`));
      }
    },
    takeBytes(count) {
      bytes += count;
      if (bytes > maxBytes) throw stop(tooLarge());
    },
    watch(connection) {
      connections.push(connection);
      // Heard before its reader hears it, each time that the system had more for it.
      connection.on("readable", weigh);
    },
    end() {
      if (!controller.signal.aborted) {
        controller.abort(new FetchFault("cancelled", "The session was closed"));
      }
      release();
    },
  };
}
