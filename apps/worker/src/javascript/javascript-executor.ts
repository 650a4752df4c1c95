import type { Sandbox, SandboxState } from "@parley/sandbox";
import { CodeLimits, fitsBytes, InvocationLimits, type StoredJavaScript } from "@parley/schema";
import type { Execution, SandboxExecutor } from "../executor/executor.ts";

/** Values of secrets of a workspace by their names; one that the workspace does not have is left out. */
export type ReadSecrets = (
  workspaceId: number,
  names: readonly string[],
) => Promise<Readonly<Record<string, string>>>;

type Limits = CodeLimits & InvocationLimits;
const limitNames = Object.keys({
  ...CodeLimits.shape,
  ...InvocationLimits.shape,
}) as (keyof Limits)[];

export interface JavaScriptExecutorOptions {
  /** Opens the sandbox when the first program is executed. */
  readonly open: () => Promise<Sandbox>;
  /** What the operator allows at most. */
  readonly maxima: Readonly<Limits & { inputBytes: number }>;
  readonly readSecrets: ReadSecrets;
}

/** Executes programs in JavaScript in a sandbox of its own, which `close` ends. */
export interface JavaScriptExecutor extends SandboxExecutor<StoredJavaScript> {
  /** The sandbox, if one was opened. */
  readonly state: SandboxState | undefined;
}

/** Makes the executor; nothing is loaded and no process starts before the first execution. */
export function createJavaScriptExecutor({
  open,
  maxima,
  readSecrets,
}: JavaScriptExecutorOptions): JavaScriptExecutor {
  let opening: Promise<Sandbox> | undefined;
  let opened: Sandbox | undefined;
  const getSandbox = async (): Promise<Sandbox> => {
    opening ??= open();
    try {
      opened = await opening;
      return opened;
    } catch (error) {
      // The next execution tries again.
      opening = undefined;
      throw error;
    }
  };

  return {
    async *execute(execution) {
      const { maxInputBytes = maxima.inputBytes } = execution;
      if (!fitsBytes(execution.input, maxInputBytes)) {
        const message = `The input must be at most ${maxInputBytes} bytes of JSON`;
        yield { type: "errored", error: { code: "input_too_large", message } };
        return;
      }
      const sandbox = await getSandbox();
      const { program, workspaceId, signal, onUsed } = execution;
      signal.throwIfAborted();
      const names = program.secrets.map(({ name }) => name);
      const values = names.length === 0 ? {} : await readSecrets(workspaceId, names);
      const secrets = program.secrets.flatMap(({ name, readable }) =>
        Object.hasOwn(values, name) ? [{ name, readable, value: values[name] ?? "" }] : [],
      );
      yield* sandbox.run({
        workspaceId,
        bundle: program.bundle,
        input: execution.input,
        invocation: invocationOf(execution),
        limits: boundLimits({ ...program, ...execution.limits }, maxima),
        allowedHosts: program.allowedHosts,
        secrets,
        signal,
        onUsed,
      });
    },
    get state() {
      return opened?.state;
    },
    close: async () => {
      const closing = opening;
      opening = undefined;
      opened = undefined;
      await (await closing?.catch(() => undefined))?.close();
    },
  };
}

function invocationOf({
  seed,
  functionId,
  version,
  attempt,
  timezone,
}: Execution<StoredJavaScript>) {
  return { id: seed, functionId, version, attempt, timezone };
}

/** The limits of an execution, none above what the operator allows. */
function boundLimits(given: Limits, maxima: Limits): Limits {
  const limits = limitNames.map((name) => [name, Math.min(given[name], maxima[name])]);
  // It has the names of the schemas.
  return Object.fromEntries(limits);
}
