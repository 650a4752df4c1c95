import type { BoundedText } from "./bounded-text.ts";
import { openOffice, readRelated } from "./office-package.ts";
import type { ExtractionQuestion } from "./question.ts";
import { paragraphs } from "./paragraphs.ts";

const notes = ["footnotes", "endnotes"];

/** Adds the text of a Word document, then that of its notes. */
export async function readDocx(
  text: BoundedText,
  bytes: Uint8Array,
  question: ExtractionQuestion,
): Promise<void> {
  const { archive, main } = await openOffice(bytes, question);
  const related = await readRelated(archive, main);
  const further = related.filter(({ type }) => notes.includes(type)).map(({ path }) => path);
  for (const part of [main, ...further]) {
    await archive.readPart(
      part,
      paragraphs((added) => text.add(added)),
    );
    text.add("\n");
  }
}
