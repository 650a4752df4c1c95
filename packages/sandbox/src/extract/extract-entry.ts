// A process that extracts the text of one document, and ends. Its standard input is a line of JSON and then the
// document, its output a line with the number of pages as soon as they are counted, and one with the answer. Only types
// are stripped here, and no package of the workspace is found: imports must need neither.
import type { DocumentKind } from "@parley/schema";
import { buffer } from "node:stream/consumers";
import { endWith } from "./end-with.ts";
import { type BoundedText, createBoundedText, TextFull } from "./bounded-text.ts";
import { DocumentFault } from "./document-fault.ts";
import type { Extraction, ExtractionQuestion } from "./question.ts";

type Reader = (
  text: BoundedText,
  bytes: Uint8Array,
  question: ExtractionQuestion,
  tellPages: (pages: number) => void,
) => Promise<void> | void;

/** Each is loaded when it is needed: that of PDF is large. */
const readers: Readonly<Record<DocumentKind, () => Promise<Reader>>> = {
  pdf: async () => (await import("./pdf.ts")).readPdf,
  docx: async () => (await import("./docx.ts")).readDocx,
  xlsx: async () => (await import("./xlsx.ts")).readXlsx,
  pptx: async () => (await import("./pptx.ts")).readPptx,
  rtf: async () => (await import("./rtf.ts")).readRtf,
};

/** They are known too if the text then takes more than it may. */
function tellPages(pages: number): void {
  process.stdout.write(`${JSON.stringify({ pages })}\n`);
}

async function extract(question: ExtractionQuestion, bytes: Uint8Array): Promise<Extraction> {
  const text = createBoundedText(question.maxCharacters);
  try {
    const read = await readers[question.kind]();
    await read(text, bytes, question, tellPages);
  } catch (error) {
    if (error instanceof DocumentFault) return { failure: error.failure, is: error.is };
    if (!(error instanceof TextFull)) throw error;
    const { maxCharacters } = question;
    text.note(`The file continues: this is its beginning, ${maxCharacters} characters of its text`);
  }
  return text.isEmpty ? { failure: "no_text" } : { text: text.read() };
}

const input = await buffer(process.stdin);
const end = input.indexOf("\n");
const question = JSON.parse(input.toString("utf8", 0, end)) as ExtractionQuestion;
// A reader may keep or change the bytes that it is given.
endWith(await extract(question, new Uint8Array(input.subarray(end + 1))));
