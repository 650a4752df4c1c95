import { type Core, followLog, isTerminal, type LogStream } from "@parley/core";
import { tracked, type TrackedEnvelope } from "@trpc/server";
import { toTrpcError } from "./errors.ts";

/**
 * Yields the events of a stream after number `after`, each tracked by its number, until the log ends; none
 * if `after` is undefined. Throws the signal's reason if it is a refusal, otherwise an `AbortError`
 * when the signal aborts or the stream is idle for too long: tRPC then closes the connection, and clients
 * resume.
 */
export async function* followStream<T>(
  core: Pick<Core, "hub">,
  stream: LogStream,
  options: { after: number | undefined; signal: AbortSignal; onEvent?: () => void },
): AsyncGenerator<TrackedEnvelope<T>, void, undefined> {
  const { logId, hidden, idleTimeoutMs } = stream;
  const { after, onEvent = () => {} } = options;
  if (after === undefined) return;
  const idle = new AbortController();
  const timer =
    idleTimeoutMs === undefined ? undefined : setTimeout(() => idle.abort(), idleTimeoutMs);
  const signal = AbortSignal.any([options.signal, idle.signal]);
  try {
    for await (const events of followLog(core, { logId, after, signal })) {
      timer?.refresh();
      for (const { seq, type, payload } of events) {
        // The log holds the events of its endpoint.
        if (!hidden.has(type)) {
          onEvent();
          yield tracked(String(seq), JSON.parse(payload) as T);
        }
        if (isTerminal(type)) return;
      }
    }
    signal.throwIfAborted();
  } catch (error) {
    throw error instanceof Error && error.name === "AbortError" ? error : toTrpcError(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same events for tRPC, which requests one event ahead. Nothing listens to that promise when it
 * rejects, and an unhandled rejection would end the process; tRPC gets the rejection later.
 */
export function askedAhead<T>(events: AsyncGenerator<T, void, undefined>): AsyncIterable<T> {
  const next = () => {
    const result = events.next();
    result.catch(() => {});
    return result;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => events.return() }) };
}
