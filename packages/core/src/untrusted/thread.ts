// Runs in a thread, where only types are stripped and packages of the workspace are not found: imports
// must need neither.
import { constants, setPriority } from "node:os";
import { noteProgress, type Progress } from "./progress.ts";

// Requests have priority over untrusted work. On other systems this would change the whole process.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** Calls that a thread makes in order. */
export interface Calls {
  readonly calls: readonly {
    readonly url: string;
    readonly name: string;
    readonly input: unknown;
  }[];
  readonly progress: Progress;
}

/** The result of a call; `broken` is the stack of an unexpected error. */
export type Called = { readonly value: unknown } | { readonly broken: string };

type ThreadModule = Readonly<Record<string, (input: unknown) => unknown>>;
const modules = new Map<string, ThreadModule>();

/** Makes calls in order. Importing their modules does not count against their deadlines. */
export async function makeCalls({ calls, progress }: Calls): Promise<Called[]> {
  for (const { url } of calls) {
    if (!modules.has(url)) modules.set(url, (await import(url)) as ThreadModule);
  }
  const results: Called[] = [];
  for (const [position, { url, name, input }] of calls.entries()) {
    noteProgress(progress, position);
    results.push(await makeCall(modules.get(url)?.[name], input));
  }
  noteProgress(progress, undefined);
  return results;
}

async function makeCall(does: ThreadModule[string] | undefined, input: unknown): Promise<Called> {
  try {
    if (does === undefined) return { broken: "The module has no such function" };
    return { value: await does(input) };
  } catch (error) {
    return { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
