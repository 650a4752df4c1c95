import type { Warning } from "@parley/schema";
import type { Context } from "../context.ts";
import { hasLiveWorker, NO_WORKER } from "../runs/live-workers.ts";

interface Waited {
  /** Whether the request waited. */
  readonly blocking: boolean | undefined;
  /** What it waited for, as it is now. */
  readonly answers: readonly { readonly status: string | null }[];
}

/**
 * The warning that a request waited for answers in vain, if no worker is alive to give them. Never
 * throws: the request is already committed.
 */
export async function warnOfVainWait(
  context: Pick<Context, "database" | "onLateFailure" | "signal">,
  { blocking = false, answers }: Waited,
): Promise<Warning[]> {
  const isOpen = answers.some(({ status }) => status === "created");
  // A server that shuts down ends waits early.
  if (!blocking || !isOpen || context.signal.aborted) return [];
  try {
    if (await hasLiveWorker(context)) return [];
  } catch (error) {
    context.onLateFailure(error);
    return [];
  }
  return [{ path: "blocking", message: NO_WORKER }];
}
