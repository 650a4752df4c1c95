import type { WorkerSettings } from "../config.ts";
import type { JavaScriptExecutorOptions } from "./javascript-executor.ts";

/** What settings allow an invocation of code at most. */
export const maximaOf = (
  settings: Pick<WorkerSettings, Extract<keyof WorkerSettings, `PARLEY_SANDBOX_MAX_${string}`>>,
): JavaScriptExecutorOptions["maxima"] => ({
  timeoutMs: settings.PARLEY_SANDBOX_MAX_TIMEOUT_MS,
  maxOutputBytes: settings.PARLEY_SANDBOX_MAX_OUTPUT_BYTES,
  cpuMs: settings.PARLEY_SANDBOX_MAX_CPU_MS,
  memoryBytes: settings.PARLEY_SANDBOX_MAX_MEMORY_BYTES,
  inputBytes: settings.PARLEY_SANDBOX_MAX_INPUT_BYTES,
  maxLogLines: settings.PARLEY_SANDBOX_MAX_LOG_LINES,
  logBytes: settings.PARLEY_SANDBOX_MAX_LOG_BYTES,
  fetches: settings.PARLEY_SANDBOX_MAX_FETCHES,
  fetchBytes: settings.PARLEY_SANDBOX_MAX_FETCH_BYTES,
});
