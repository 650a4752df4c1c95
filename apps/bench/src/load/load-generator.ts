import { fileURLToPath } from "node:url";
import { startProcess } from "../child-process.ts";
import { askingChild } from "../child-requests.ts";
import type { LoadHandlers } from "./closed-loop.ts";
import type { LoadPlan, LoadResult } from "./plan.ts";

/** More than the longest sample that can be asked for. */
const ANSWER_WITHIN_MS = 660_000;

/** The process that makes the load. */
export interface LoadGenerator {
  readonly pid: number;
  run(plan: LoadPlan): Promise<LoadResult>;
  /** The same; gives also what `read` gave when the window that counts opened and when it closed. */
  watch<Reading>(
    plan: LoadPlan,
    read: () => Promise<Reading>,
  ): Promise<{ result: LoadResult; before: Reading; after: Reading }>;
}

/** A program that does plans by itself, in place of asking a server. */
export interface OwnGenerator {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the process that makes the load; it ends with `resources`. */
export function startLoadGenerator(
  resources: AsyncDisposableStack,
  own?: OwnGenerator,
): LoadGenerator {
  const file = own?.file ?? fileURLToPath(new URL("generator.ts", import.meta.url));
  const started = startProcess(resources, {
    name: "The load generator",
    arguments: [file],
    environment: own?.environment ?? {},
    messages: true,
  });
  const ask = askingChild<LoadHandlers>(started, ANSWER_WITHIN_MS);
  const watch: LoadGenerator["watch"] = async (plan, read) => {
    await ask("open", plan);
    // While the load continues.
    const [before] = await Promise.all([read(), ask("close")]);
    const after = await read();
    return { result: await ask("result"), before, after };
  };
  return {
    pid: started.pid,
    run: async (plan) => (await watch(plan, async () => {})).result,
    watch,
  };
}
