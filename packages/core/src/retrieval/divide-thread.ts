// Runs in a thread: see untrusted/thread.ts.
import { divideText, type TextPart } from "./divide-text.ts";
import { gramsOf } from "./grams.ts";
import { languageOf } from "./languages.ts";

/** A part with what it is found by, words aside, which the database makes. */
export interface IndexedPart extends TextPart {
  readonly grams: readonly string[];
}

/** The parts of a document, and the configuration of text search for its language. */
export function divideDocument({
  title,
  content,
  tags,
}: {
  readonly title: string;
  readonly content: string;
  readonly tags: readonly string[];
}): { readonly language: string; readonly parts: readonly IndexedPart[] } {
  // A document without a text is found by its title.
  const divided = divideText(content);
  const parts = divided.length === 0 ? divideText(title) : divided;
  return {
    language: languageOf(content || title, tags),
    parts: parts.map((part) => ({
      ...part,
      grams: gramsOf(`${title}\n${part.headings.join("\n")}\n${part.content}`),
    })),
  };
}
