import type { ResolveHost } from "@parley/guarded-fetch";
import type { ExecutorEvent } from "@parley/schema";
import type { Sandbox, SandboxExecution, SandboxOptions } from "../src/contract.ts";
import { createSandbox } from "../src/create-sandbox.ts";

export const testLimits = {
  timeoutMs: 10_000,
  maxOutputBytes: 10_000,
  maxLogLines: 100,
  cpuMs: 1000,
  memoryBytes: 33_554_432,
  logBytes: 100_000,
  fetches: 5,
  fetchBytes: 100_000,
};

/** What an execution says of its function, and how long it took from when it began. */
export interface RanCode {
  readonly events: readonly ExecutorEvent[];
  readonly end: ExecutorEvent | undefined;
  readonly tookMs: number;
}

/** A sandbox of tests. */
export const openTestSandbox = (
  options: Partial<SandboxOptions> & { resolve?: ResolveHost } = {},
) => createSandbox({ maxProcesses: 4, maxWaitingBytes: 2 ** 30, privateHosts: [], ...options });

/** Runs the body of a function, or a whole module if it exports. */
export async function runCode(
  sandbox: Sandbox,
  code: string,
  more: Partial<SandboxExecution> = {},
): Promise<RanCode> {
  const isModule = /^\s*(?:export|import)\b/m.test(code);
  const module = isModule ? code : `export default async (input, context) => { ${code} }`;
  const events: ExecutorEvent[] = [];
  let beganAt = 0;
  for await (const event of sandbox.run({
    workspaceId: 1,
    bundle: { code: module, map: "{}" },
    input: "null",
    invocation: { id: "sfi_a", functionId: "sfn_a", version: 1, attempt: 1, timezone: "UTC" },
    allowedHosts: [],
    secrets: [],
    signal: new AbortController().signal,
    limits: testLimits,
    ...more,
  })) {
    if (event.type === "began") beganAt = performance.now();
    if (event.type !== "began" && event.type !== "queued") events.push(event);
  }
  return { events, end: events.at(-1), tookMs: performance.now() - beganAt };
}

/** The code of a failure, or the JSON of a result. */
export function outcomeOf({ end }: RanCode): string {
  if (end?.type === "errored") return end.error.code;
  return end?.type === "succeeded" ? JSON.stringify(end.result) : String(end?.type);
}
