import {
  type CallableTool,
  type Core,
  openCallableTool,
  refreshUsedServer,
  type StoredToolResult,
  type ToolCallInput,
  type ToolResult,
  type ToolServerFailure,
} from "@parley/core";
import {
  type ClientProgram,
  type ExecutionEvent,
  type InvocationErrorCode,
  type McpProgram,
  ParleyError,
} from "@parley/schema";
import type { Execution, SandboxExecutor } from "../executor/executor.ts";
import { takeFiles } from "./take-files.ts";

/** Bytes of all answers to a call. */
const MAX_CALL_BYTES = 8 * 1024 * 1024;
/** Reports of progress that wait to be written; further ones are dropped. */
const MAX_REPORTS = 100;

type ToolProgram = McpProgram | ClientProgram;

/** Calls the tools of remote servers, and of those in clients. A call is sent once; what it failed with is its outcome. */
export function createMcpExecutor(core: Core): SandboxExecutor<ToolProgram> {
  const stop = new AbortController();
  return {
    async *execute(execution) {
      const { program, seed: invocationId, signal, workspaceId } = execution;
      signal.throwIfAborted();
      const result = yield* call(core, execution);
      signal.throwIfAborted();
      if (result.type === "failed") {
        const code = codes[result.code] ?? "invocation_failed";
        yield {
          ...failed(code, result.message),
          ...(result.asksUser && { asksUser: result.asksUser }),
        };
        return;
      }
      const { isError, structuredContent, toolsChanged } = result;
      const taken = await takeFiles(core, { invocationId, content: result.content });
      const stored: StoredToolResult = { ...taken, structuredContent, isError };
      yield { type: "succeeded", result: stored };
      if (program.type === "client") return;
      const { toolId } = program;
      const options = { workspaceId, origin: "run", signal: stop.signal } as const;
      refreshUsedServer(core, { toolId, invocationId, changed: toolsChanged }, options).catch(
        (error: unknown) => {
          if (!stop.signal.aborted) core.onLateFailure(error);
        },
      );
    },
    close: async () => stop.abort(new Error("The worker stops")),
  };
}

/** The codes of failures that have one of their own. */
const codes: Partial<Record<ToolServerFailure["code"], InvocationErrorCode>> = {
  timed_out: "timed_out",
  too_large: "output_too_large",
};

/** Makes the call, and gives its reports of progress as they come. */
async function* call(
  core: Core,
  execution: Execution<ToolProgram>,
): AsyncGenerator<ExecutionEvent, ToolResult | ToolServerFailure, undefined> {
  const { signal } = execution;
  const tool = await openTool(core, execution);
  if ("type" in tool) return tool;
  const reports: ExecutionEvent[] = [];
  let news = Promise.withResolvers<"news">();
  const answer = tool({
    timeoutMs: timeoutOf(execution),
    maxBytes: MAX_CALL_BYTES,
    signal,
    onProgress: ({ progress, total = 0, message = "" }) => {
      if (reports.length < MAX_REPORTS) {
        reports.push({ type: "progress", done: progress, total, label: message });
      }
      news.resolve("news");
    },
  });
  for (;;) {
    const next = await Promise.race([answer, news.promise]);
    yield* reports.splice(0);
    if (next !== "news") return next;
    news = Promise.withResolvers();
  }
}

/** What a client is told of a call that has no answer in time is part of the limit. */
const CANCEL_MS = 2000;

function timeoutOf({ program, limits: { timeoutMs } }: Execution<ToolProgram>): number {
  if (program.type === "mcp") return timeoutMs;
  return Math.max(timeoutMs - CANCEL_MS, timeoutMs / 2);
}

async function openTool(
  core: Core,
  { program, input, seed: logId, attempt, traceparent, signal }: Execution<ToolProgram>,
): Promise<CallableTool | ToolServerFailure> {
  // Written by `callTool` of core.
  const called = JSON.parse(input) as ToolCallInput;
  const run = { logId, attempt };
  try {
    const tool = await openCallableTool(core, {
      program,
      input: called,
      run,
      traceparent,
      signal,
    });
    return tool ?? failure("The tool was removed");
  } catch (error) {
    if (error instanceof ParleyError) return failure(error.message);
    throw error;
  }
}

function failure(message: string): ToolServerFailure {
  return { type: "failed", code: "unreachable", message };
}

function failed(code: InvocationErrorCode, message: string) {
  return { type: "errored", error: { code, message } } as const;
}
