import { type BoundedText, addPages } from "./bounded-text.ts";
import { DocumentFault } from "./document-fault.ts";
import type { ExtractionQuestion } from "./question.ts";

/** Readers find the mark of a PDF in its first kilobyte. */
const HEAD_BYTES = 1024 + 5;
/** The mark of its end stands in the last kilobyte, before what mail programs and servers add. */
const TAIL_BYTES = 4096;

/** Adds the text of a PDF, page by page. */
export async function readPdf(
  text: BoundedText,
  bytes: Uint8Array,
  { maxPages }: ExtractionQuestion,
  tellPages: (pages: number) => void,
): Promise<void> {
  const { getDocument } = await import("unpdf/pdfjs");
  if (!includes(bytes.subarray(0, HEAD_BYTES), "%PDF-")) throw new DocumentFault("wrong_type");
  // Readers guess what a cut file held; that would be a part of it, given as the whole.
  if (!includes(bytes.subarray(-TAIL_BYTES), "%%EOF")) throw new DocumentFault("damaged");
  let lacksMaps = false;
  const loading = getDocument({
    data: bytes,
    useWorkerFetch: false,
    // A class to PDF.js. Fonts for Chinese, Japanese and Korean may name a table of characters in place of having it.
    BinaryDataFactory: function NoData() {
      const fetch = async ({ kind }: { kind: string }) => {
        lacksMaps ||= kind === "cMapUrl";
        throw new Error("It is not there");
      };
      return { fetch };
    },
    verbosity: 0,
    maxImageSize: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    isImageDecoderSupported: false,
    isOffscreenCanvasSupported: false,
  });
  const document = await loading.promise.catch((cause: unknown) => {
    const isLocked = cause instanceof Error && cause.name === "PasswordException";
    throw new DocumentFault(isLocked ? "encrypted" : "damaged", { cause });
  });
  const count = document.numPages;
  if (count === 0) throw new DocumentFault("damaged");
  tellPages(count);
  if (count > maxPages) throw new DocumentFault("too_many_pages");
  const empty: number[] = [];
  const broken: number[] = [];
  await addPages(text, { count, noun: "page" }, async (number) => {
    let hasText = false;
    const page = await document.getPage(number).catch(() => undefined);
    if (page === undefined) {
      broken.push(number);
      return;
    }
    const reader = page.streamTextContent().getReader();
    for (;;) {
      const next = await reader.read().catch(() => undefined);
      if (next === undefined) broken.push(number);
      if (next === undefined || next.done) break;
      // Its type does not say what it holds.
      const { items } = next.value as { items: readonly { str?: string; hasEOL?: boolean }[] };
      for (const { str = "", hasEOL = false } of items) {
        hasText ||= str.trim() !== "";
        text.add(hasEOL ? `${str}\n` : str);
      }
    }
    page.cleanup();
    if (!hasText && broken.at(-1) !== number) empty.push(number);
    if (hasText) text.add("\n\n");
  });
  if (text.isEmpty && lacksMaps) throw new DocumentFault("unknown_characters");
  if (text.isEmpty && broken.length > 0) throw new DocumentFault("damaged");
  if (lacksMaps) text.note("Text is missing: its fonts do not say which characters they show");
  notePages(text, empty, `of its ${count} pages have no text, as scans have none`);
  notePages(text, broken, `of its ${count} pages are damaged and were left out`);
}

const MAX_NAMED = 20;

function notePages(text: BoundedText, pages: readonly number[], about: string): void {
  if (pages.length === 0) return;
  const named = pages.slice(0, MAX_NAMED).join(", ") + (pages.length > MAX_NAMED ? ", …" : "");
  text.note(`${pages.length} ${about}: ${named}`);
}

const includes = (bytes: Uint8Array, mark: string): boolean => Buffer.from(bytes).includes(mark);
