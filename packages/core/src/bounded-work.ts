import vm from "node:vm";

// What runs within the timeout of a script is ended wherever it is, in a regular expression too.
const slot = vm.createContext({ work: undefined as (() => void) | undefined });
const script = new vm.Script("work()");

/**
 * Runs `work`, which must not leave anything half done that outlives it, and ends it after
 * `timeoutMs`: undefined where it took longer. Costs about 0.1 ms.
 */
export function runBounded<T>(timeoutMs: number, work: () => T): { value: T } | undefined {
  let done: { value: T } | undefined;
  slot["work"] = () => {
    done = { value: work() };
  };
  try {
    script.runInContext(slot, { timeout: timeoutMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    return undefined;
  } finally {
    slot["work"] = undefined;
  }
  return done;
}
