/** Functions with code as a developer's machine runs them: bundled, checked and held as a server does, without one. */
import { checkInput, checkOutcome, createThreads, findSchemaFaults } from "@parley/core";
import { bundleProgram, createSandbox, type Exchange } from "@parley/sandbox";
import type {
  BundleFault,
  ExecutionEvent,
  InvocationLimits,
  InvocationOutcome,
  JavaScriptProgram,
} from "@parley/schema";
import { filesOf } from "@parley/schema";
import { WorkerSettings } from "../config.ts";
import { limitExecution } from "../executor/limit-execution.ts";
import { maximaOf } from "./code-maxima.ts";
import { createJavaScriptExecutor } from "./javascript-executor.ts";
import { locateError } from "./locate-error.ts";
import { createPlayback, type RecordedFetch } from "./recorded-fetches.ts";

export type { RecordedFetch } from "./recorded-fetches.ts";

/** A function with code, as its folder has it. */
export interface LocalFunction extends InvocationLimits {
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  readonly program: JavaScriptProgram;
}

/** One run of a function. */
export interface LocalRun {
  readonly input: unknown;
  /** IANA name of the caller's time zone. */
  readonly timezone: string;
  /** Values of secrets by their names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Answers in place of the network, which is asked if there are none. */
  readonly fetches?: readonly RecordedFetch[] | undefined;
  /** Called with what the code prints. */
  readonly onLine?: (line: ExecutionEvent & { readonly type: "log" }) => void;
}

/** What came of a run. */
export interface LocalEnd {
  readonly outcome: InvocationOutcome;
  /** What was asked and answered, without secrets. */
  readonly exchanges: readonly Exchange[];
  /** Requests for which nothing was recorded, as `GET https://example.com/`. */
  readonly unrecorded: readonly string[];
  /** What was recorded, and not asked for. */
  readonly unused: readonly string[];
}

/** A function that can be run. */
export interface PreparedFunction {
  run(run: LocalRun): Promise<LocalEnd>;
}

export interface LocalFunctions extends AsyncDisposable {
  /** Bundles a function and checks its schemas: what can be run, or why nothing can. */
  prepare(
    given: LocalFunction,
  ): Promise<{ readonly prepared: PreparedFunction } | { readonly faults: readonly BundleFault[] }>;
}

/** Whom the threads and the sandbox work for. */
const WORKSPACE = 1;

/** Opens what runs functions here, with the limits of a server whose settings are the defaults. */
export async function openLocalFunctions({
  privateHosts,
}: {
  /** Hosts in private networks that code may call. */
  readonly privateHosts: readonly string[];
}): Promise<LocalFunctions> {
  const threads = createThreads();
  const sandbox = await createSandbox({
    // Cases run one after the other.
    maxProcesses: 1,
    maxWaitingBytes: 2 ** 28,
    privateHosts,
    locateError: (error) => locateError(threads, error),
  });
  const maxima = maximaOf(WorkerSettings.parse({}));
  const options = {
    workspaceId: WORKSPACE,
    origin: "run",
    signal: new AbortController().signal,
  } as const;
  return {
    prepare: async (given) => {
      const ofSchemas = await findSchemaFaults({ threads }, given, options);
      if (ofSchemas.length > 0) {
        return { faults: ofSchemas.map(({ path, message }) => faultOf(`${path}: ${message}`)) };
      }
      const bundled = await bundleProgram(filesOf(given.program.source));
      if ("faults" in bundled) return bundled;
      const program = { ...given.program, bundle: bundled.bundle };
      const run = async (wanted: LocalRun): Promise<LocalEnd> => {
        const playback = wanted.fetches && createPlayback(wanted.fetches);
        const exchanges: Exchange[] = [];
        const more = {
          guard: playback?.guard,
          onAnswer: (one: Exchange) => void exchanges.push(one),
        };
        const executor = createJavaScriptExecutor({
          open: async () => ({ ...sandbox, run: (one) => sandbox.run({ ...one, ...more }) }),
          maxima,
          readSecrets: async () => wanted.secrets,
        });
        const input = await checkInput(
          { threads },
          { definition: given, input: wanted.input },
          options,
        );
        const execution = {
          ...options,
          functionId: "sfn_local",
          version: 1,
          program,
          input: input.json,
          timezone: wanted.timezone,
          seed: "sfi_local",
          attempt: 1,
          limits: given,
        };
        const outcome = ((): Promise<InvocationOutcome> | InvocationOutcome => {
          if (input.error !== undefined) return { status: "errored", error: input.error };
          return readEnd(limitExecution(executor, execution), wanted.onLine);
        })();
        const checked = { definition: given, outcome: await outcome };
        return {
          outcome: await checkOutcome({ threads }, checked, options),
          exchanges,
          unrecorded: playback?.unrecorded ?? [],
          unused: playback?.unused ?? [],
        };
      };
      return { prepared: { run } };
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      await threads.close();
    },
  };
}

/** How an execution ends, whose lines are given on. */
async function readEnd(
  events: AsyncIterable<ExecutionEvent>,
  onLine: LocalRun["onLine"],
): Promise<InvocationOutcome> {
  for await (const event of events) {
    if (event.type === "log") onLine?.(event);
    if (event.type === "succeeded") return { status: "succeeded", result: event.result };
    if (event.type === "errored") return { status: "errored", error: event.error };
  }
  throw new Error("The execution has no end");
}

const faultOf = (message: string): BundleFault => ({
  file: "",
  line: 0,
  column: 0,
  message,
  sourceLine: "",
});
