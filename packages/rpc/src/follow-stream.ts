import { type Core, followLog, isTerminal, type LogStream } from "@parley/core";
import { tracked, type TrackedEnvelope } from "@trpc/server";
import { toTrpcError } from "./errors.ts";

/**
 * Yields the events of a stream behind `after`, each tracked by its number, until the log ends;
 * nothing where there is nothing to read. Throws the signal's reason, where that is a refusal, and
 * otherwise an `AbortError` when the signal aborts or nothing happens for too long: tRPC then breaks
 * the connection, and clients resume.
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
        // What is in a log is what its endpoint says.
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
 * The same events for tRPC, which asks for one ahead while its reader takes the last: nobody listens
 * to that promise yet when it rejects, and an unhandled rejection would end the process. tRPC still
 * gets the rejection when it comes to it.
 */
export function askedAhead<T>(events: AsyncGenerator<T, void, undefined>): AsyncIterable<T> {
  const next = () => {
    const result = events.next();
    result.catch(() => {});
    return result;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => events.return() }) };
}
