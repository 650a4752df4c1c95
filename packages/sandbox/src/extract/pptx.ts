import { addPages, type BoundedText } from "./bounded-text.ts";
import { DocumentFault } from "./document-fault.ts";
import { openOffice, readReferences, readRelated } from "./office-package.ts";
import { paragraphs } from "./paragraphs.ts";
import type { ExtractionQuestion } from "./question.ts";

/** Adds the text of the slides of a presentation in their order, each with its speaker's notes. */
export async function readPptx(
  text: BoundedText,
  bytes: Uint8Array,
  question: ExtractionQuestion,
): Promise<void> {
  const { archive, main } = await openOffice(bytes, question);
  const paths = new Map((await readRelated(archive, main)).map(({ id, path }) => [id, path]));
  const slides = await readReferences(archive, main, "sldId");
  if (slides.length > question.maxPages) throw new DocumentFault("too_many_pages");
  await addPages(text, { count: slides.length, noun: "slide" }, async (number) => {
    const slide = paths.get(slides[number - 1]?.id ?? "") ?? "";
    const read = async (part: string, heading: string): Promise<void> => {
      let isFirst = true;
      await archive.readPart(
        part,
        paragraphs((added) => {
          if (isFirst && added.trim() === "") return;
          text.add(isFirst ? `${heading}\n${added}` : added);
          isFirst = false;
        }),
      );
    };
    await read(slide, `Slide ${number}:`);
    const notes = (await readRelated(archive, slide)).find(({ type }) => type === "notesSlide");
    if (notes !== undefined) await read(notes.path, "Notes:");
    text.add("\n");
  });
}
