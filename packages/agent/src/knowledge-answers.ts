import type { Citation } from "@parley/schema";
import type { SkillLoads } from "./offered-functions.ts";
import type { ToolAnswer } from "./tools.ts";

/** What can be cited: a part of a document, or a table. */
export type Cited = Omit<Citation, "reference">;

/** Why something was not looked up. */
export interface Refused {
  readonly refused: string;
}

export const SEARCH = "knowledge__search";
export const READ = "knowledge__read";
export const LIST = "knowledge__list";
export const TABLE = "knowledge__table";

/** An answer that a call is wrong. */
export const refuse = (output: string): ToolAnswer => ({ output, isError: true });
/** Whether something was not looked up. */
export const isRefused = (found: object): found is Refused => "refused" in found;

/** A text of the input of a tool. */
export const string = (description: string) => ({ type: "string", description });
/** A whole number of it. */
export const integer = (description: string, minimum: number, maximum?: number) => ({
  type: "integer",
  description,
  minimum,
  ...(maximum !== undefined && { maximum }),
});

const keyOf = ({ dataSourceId, documentId, start, end }: Cited): string =>
  JSON.stringify([dataSourceId, documentId, start, end]);

/** The citations of what was found: what was cited before in the answer keeps its number. */
export function cite(found: readonly Cited[], { finishedCalls }: SkillLoads): Citation[] {
  const known = new Map(
    finishedCalls.flatMap(({ citations = [] }) =>
      citations.map((citation) => [keyOf(citation), citation.reference] as const),
    ),
  );
  return found.map((one) => {
    const { dataSourceId, dataSourceName, documentId, title, headings, sourceUrl, start, end } =
      one;
    const key = keyOf(one);
    const reference = known.get(key) ?? Math.max(0, ...known.values()) + 1;
    known.set(key, reference);
    const named = { dataSourceId, dataSourceName, documentId, title };
    return { reference, ...named, headings, sourceUrl, start, end };
  });
}

/** A text without line breaks. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
