import { randomUUID } from "node:crypto";
import type { E2bProgram, ExecutorEvent } from "@parley/schema";
import type { Execution, SandboxExecutor } from "../executor/executor.ts";
import {
  type CreatedSandbox,
  createE2bSandbox,
  deleteE2bSandbox,
  type E2bConnection,
} from "./e2b-api.ts";
import { E2bFault } from "./e2b-fault.ts";
import { openMachine, type ProcessEvent } from "./e2b-machine.ts";
import { createLineSplitter, readOutcome } from "./read-outcome.ts";
import { RESULT_FILE, wrapProgram } from "./wrappers.ts";

export interface E2bExecutorOptions {
  readonly connection: E2bConnection;
  /** Of programs that name none. */
  readonly template: string;
  /** Bytes that an execution may print. */
  readonly logBytes: number;
  /** How long a sandbox may take to be there with its files. */
  readonly startMs?: number;
  /** Called with a sandbox that could not be deleted: E2B deletes it when its time is over. */
  readonly onLeft: (sandboxId: string, error: unknown) => void;
}

const START_MS = 60_000;
/** How long a sandbox may outlive its function, if nobody deletes it. */
const SPARE_MS = 60_000;
const DELETE_ATTEMPTS = 3;
const DELETE_MS = 10_000;
/** How long closing waits for deletions. */
const CLOSE_MS = 10_000;
/** What the wrapper adds to a result, and the most that it says of an error. */
const WRAPPED_BYTES = 65_536;

/** Executes programs in sandboxes of E2B: one for each execution, which is deleted however that ends. */
export function createE2bExecutor(options: E2bExecutorOptions): SandboxExecutor<E2bProgram> {
  const { connection, startMs = START_MS, onLeft } = options;
  /** From the creation of each sandbox to its deletion. */
  const lives = new Set<Promise<void>>();
  /** Deletes a sandbox once its execution is over. */
  const live = (creating: Promise<CreatedSandbox>, over: Promise<void>): void => {
    const life = over
      .then(async () => deleteSurely(connection, (await creating).id, onLeft))
      // It was never there.
      .catch(() => undefined)
      .finally(() => lives.delete(life));
    lives.add(life);
  };

  return {
    async *execute(execution) {
      const { signal, limits } = execution;
      signal.throwIfAborted();
      yield { type: "queued", forMs: startMs };
      // Not ended by the signal: nobody would know which sandbox to delete.
      const starting = AbortSignal.timeout(startMs);
      const creating = createE2bSandbox(connection, {
        template: execution.program.template ?? options.template,
        lifetimeMs: startMs + limits.timeoutMs + SPARE_MS,
        metadata: { parleyFunction: execution.functionId, parleyInvocation: execution.seed },
        signal: starting,
      });
      const over = Promise.withResolvers<void>();
      live(creating, over.promise);
      try {
        const sandbox = await orAborted(creating, signal);
        yield* runIn(sandbox, execution, { ...options, starting });
      } catch (error) {
        signal.throwIfAborted();
        yield { type: "errored", error: failureOf(error, starting, startMs) };
      } finally {
        over.resolve();
      }
    },
    close: async () => {
      // What hangs is left to E2B, which ends it when its time is over.
      const patience = AbortSignal.timeout(CLOSE_MS);
      await orAborted(Promise.all(lives), patience).catch(() => undefined);
    },
  };
}

async function* runIn(
  sandbox: CreatedSandbox,
  { program, input, limits, signal, ...execution }: Execution<E2bProgram>,
  { logBytes, starting }: Pick<E2bExecutorOptions, "logBytes"> & { starting: AbortSignal },
): AsyncGenerator<ExecutorEvent, void, undefined> {
  const mark = `parley-${randomUUID()}:`;
  const { seed: id, functionId, version, attempt, timezone } = execution;
  const invocation = { id, functionId, version, attempt, timezone };
  const { command, files } = wrapProgram(program, { input, invocation, mark });
  await openMachine(sandbox, AbortSignal.any([signal, starting])).write(files);
  yield { type: "began" };
  const machine = openMachine(sandbox, signal);
  const lines = { stdout: createLineSplitter(), stderr: createLineSplitter() };
  let printed = 0;
  let ended: (ProcessEvent & { type: "ended" }) | undefined;
  for await (const event of machine.run(command)) {
    if (event.type === "ended") {
      ended = event;
      break;
    }
    printed += event.bytes.length;
    if (printed > logBytes) {
      const message = `The function may print at most ${logBytes} bytes`;
      throw new E2bFault({ code: "log_too_large", message });
    }
    for (const line of lines[event.stream].push(event.bytes)) {
      yield* toEvents(event.stream, line, mark);
    }
  }
  for (const stream of ["stdout", "stderr"] as const) {
    for (const line of lines[stream].end()) yield* toEvents(stream, line, mark);
  }
  const answer = await machine.read(RESULT_FILE, limits.maxOutputBytes + WRAPPED_BYTES);
  yield readOutcome(answer, ended, limits);
}

/** A line, and the report of progress at its end. */
function* toEvents(
  stream: "stdout" | "stderr",
  line: string,
  mark: string,
): Generator<ExecutorEvent, void, undefined> {
  const at = line.indexOf(mark);
  const text = at === -1 ? line : line.slice(0, at);
  if (at === -1 || text !== "") yield { type: "log", stream, text };
  if (at === -1) return;
  try {
    const { fraction, label } = JSON.parse(line.slice(at + mark.length)) as {
      readonly [name: string]: unknown;
    };
    yield { type: "progress", done: Number(fraction), total: 1, label: String(label) };
  } catch {
    // The code printed the mark itself.
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function failureOf(error: unknown, starting: AbortSignal, startMs: number): E2bFault["failure"] {
  if (error instanceof E2bFault) return error.failure;
  if (error !== starting.reason) {
    return { code: "invocation_failed", message: "The sandbox of E2B could not be used" };
  }
  return { code: "overloaded", message: `E2B created no sandbox within ${startMs} ms` };
}

async function deleteSurely(
  connection: E2bConnection,
  id: string,
  onLeft: E2bExecutorOptions["onLeft"],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deleteE2bSandbox(connection, id, AbortSignal.timeout(DELETE_MS));
    } catch (error) {
      if (attempt === DELETE_ATTEMPTS) return onLeft(id, error);
    }
  }
}
