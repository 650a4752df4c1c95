import { createIdleTimer, followLog, isTerminal, type LogStream } from "@parley/core";
import { tracked, type TrackedEnvelope } from "@trpc/server";
import { toTrpcError } from "./errors.ts";
import type { ProcedureContext } from "./trpc.ts";

/**
 * Yields the events of a stream behind `after`, each tracked by its number, until the log ends;
 * nothing where there is nothing to read. Throws the refusal when the key is refused meanwhile, and
 * an `AbortError` when the server shuts down or nothing happens for too long: tRPC then breaks the
 * connection, and clients resume.
 */
export async function* followStream<T>(
  context: ProcedureContext,
  stream: LogStream,
  { after, ended }: { after: number | undefined; ended: AbortSignal },
): AsyncGenerator<TrackedEnvelope<T>, void, undefined> {
  if (after === undefined) return;
  const idle = createIdleTimer(stream.idleTimeoutMs);
  const signal = AbortSignal.any([context.signal, ended, idle.signal]);
  try {
    for await (const events of followLog(context, { logId: stream.logId, after, signal })) {
      idle.restart();
      for (const { seq, type, payload } of events) {
        // What is in a log is what its endpoint says.
        if (!stream.hidden.has(type)) yield tracked(String(seq), JSON.parse(payload) as T);
        if (isTerminal(type)) return;
      }
    }
    signal.throwIfAborted();
  } catch (error) {
    throw error instanceof Error && error.name === "AbortError" ? error : toTrpcError(error);
  } finally {
    idle.stop();
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
