import type { Citation } from "@parley/schema";
import type { ActionRow } from "../data-access/rows.ts";

/** The citations of an answer in the order of their numbers, each once. */
export function citationsOf(actions: readonly Pick<ActionRow, "citations">[]): Citation[] {
  const found = new Map<number, Citation>();
  for (const { citations } of actions) {
    for (const citation of citations ?? []) found.set(citation.reference, citation);
  }
  return found
    .values()
    .toArray()
    .toSorted((a, b) => a.reference - b.reference);
}
