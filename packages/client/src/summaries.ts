import type { Method } from "./methods.ts";
import type { RouteName } from "./schema-tables.ts";

/** The methods of the summaries of conversations. */
export function createSummaryMethods(method: <N extends RouteName>(name: N) => Method<N>) {
  return {
    summaries: {
      /** Lists the summaries of a conversation's oldest messages, the newest first, a page at a time. */
      list: method("summaries.list"),
      /** Summarises what a conversation has said so far; with `blocking`, responds when it is written. */
      create: method("summaries.create"),
      /** Undoes a summary, so that prompts have the messages again, or takes it back. */
      update: method("summaries.update"),
    },
  };
}
