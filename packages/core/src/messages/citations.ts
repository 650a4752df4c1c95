import { Citation } from "@parley/schema";
import type { ActionRow } from "../data-access/rows.ts";

/** The citations of a call as the wire shows them, with their members in one order: jsonb has one of its own. */
export function renderCitations({ citations }: Pick<ActionRow, "citations">): Citation[] {
  return (citations ?? []).map((citation) => Citation.parse(citation));
}

/** The citations of an answer in the order of their numbers, each once. */
export function citationsOf(actions: readonly Pick<ActionRow, "citations">[]): Citation[] {
  const found = new Map(
    actions.flatMap(renderCitations).map((citation) => [citation.reference, citation]),
  );
  return found
    .values()
    .toArray()
    .toSorted((a, b) => a.reference - b.reference);
}
