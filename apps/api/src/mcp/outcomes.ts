import type { CallToolResult } from "@modelcontextprotocol/server";
import { findInvocationStream, followLog } from "@parley/core";
import type { InvocationEvent, InvocationOutcome } from "@parley/schema";
import { failure } from "./errors.ts";
import type { McpExchange } from "./exchange.ts";
import type { Progress } from "./progress.ts";

/** Name of the tool that reads an invocation. */
export const READ_INVOCATION = "invocation__read";

/** Which invocation of which function. */
export interface InvocationParams {
  readonly functionId: string;
  readonly invocationId: string;
}

/** The outcome of an invocation; undefined at the limit for blocking requests, or when nobody waits. */
export async function followInvocation(
  { context }: McpExchange,
  params: InvocationParams,
  progress: Progress,
): Promise<InvocationOutcome | undefined> {
  const { logId } = await findInvocationStream(context, { ...params, include: ["progress"] });
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), context.blockingTimeoutMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    for await (const events of followLog(context, { logId, after: 0, signal })) {
      for (const { payload } of events) {
        // Written by this program: the log holds what `InvocationEvent` describes.
        const event = JSON.parse(payload) as InvocationEvent;
        if (event.type === "sandbox_function_invocation_result") {
          return { status: "succeeded", result: event.result };
        }
        if (event.type === "sandbox_function_invocation_error") {
          return { status: "errored", error: event.error };
        }
        if (event.type === "sandbox_function_invocation_progress") {
          const { done, total, label } = event;
          progress.report({ progress: done, total, message: label });
        }
      }
    }
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** What a model reads of an invocation that has not ended in time. */
export function howToReadOn({ functionId, invocationId }: InvocationParams): string {
  return (
    `The function has not ended. To wait for it, call ${READ_INVOCATION} with functionId ` +
    `${functionId} and invocationId ${invocationId}.`
  );
}

/** An invocation that has failed, as a result. */
export function renderError(
  params: InvocationParams,
  outcome: Extract<InvocationOutcome, { status: "errored" }>,
): CallToolResult {
  const { code, message } = outcome.error;
  return failure(`${message} (${code})`, { ...params, ...outcome });
}

/** The result of a function as a text. */
export function toText(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}
