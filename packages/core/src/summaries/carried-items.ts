import type { CarriedItem } from "@parley/db";
import { type Job, threadModule } from "../untrusted/job.ts";
import type { CallOptions, Threads } from "../untrusted/threads.ts";
import type { CarriedMessage, carryMessages } from "./carry-thread.ts";

const job: Job<Parameters<typeof carryMessages>[0], CarriedItem[]> = {
  url: threadModule("carry-thread", import.meta.url),
  name: "carryMessages",
  deadlineMs: 10_000,
};

/**
 * Adds what messages hold, such as URLs and open tasks, to what was carried before them. Messages that take too long
 * add nothing.
 */
export async function carryItems(
  threads: Threads,
  given: { readonly before: readonly CarriedItem[]; readonly messages: readonly CarriedMessage[] },
  options: CallOptions,
): Promise<CarriedItem[]> {
  const outcome = await threads.call(job, given, options);
  return "value" in outcome ? outcome.value : [...given.before];
}
