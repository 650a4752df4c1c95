// Why a document has no text. It needs no zod.
import type { DocumentKind } from "./accepted-types.ts";

/** Pages of a PDF, slides and sheets past which a document is not read. */
export const MAX_DOCUMENT_PAGES = 5000;

/** What people call each kind of document. */
export const documentNames: Readonly<Record<DocumentKind, string>> = {
  pdf: "a PDF",
  docx: "a Word document (.docx)",
  xlsx: "an Excel workbook (.xlsx)",
  pptx: "a PowerPoint presentation (.pptx)",
  rtf: "an RTF document",
};

/** Every reason, as what follows the name of the file. */
const reasons = {
  encrypted: "is protected by a password: give it without one",
  damaged: "is damaged or incomplete, so that its text cannot be read: save or upload it again",
  wrong_type: "is not what its type says",
  no_text: "has no text: its pages are pictures, such as scans, or empty",
  unknown_characters:
    "has its text in Chinese, Japanese or Korean fonts that do not say which characters they show: save it again with embedded fonts",
  too_complex:
    "takes more memory or processor time to read than a file may: split it, or save it again without what it embeds",
  too_many_pages: `has more than ${MAX_DOCUMENT_PAGES} pages: split it`,
  not_read: "is of a type whose text is not read",
  deleted: "was deleted",
  too_slow: "was not read in time, as the server is busy: try again",
  interrupted: "could not be read at the moment: try again",
} as const;

/** A reason why a document has no text. */
export type DocumentFailure = keyof typeof reasons;

/** Whether the reason is not the document's: it may be read at another time. */
export function isPassing(failure: DocumentFailure): boolean {
  return failure === "deleted" || failure === "too_slow" || failure === "interrupted";
}

/** Whether a value is a reason. */
export function isDocumentFailure(value: string): value is DocumentFailure {
  return Object.hasOwn(reasons, value);
}

/** The reason as a sentence that names the file; `is` is what a file of a wrong type is instead. */
export function describeDocumentFailure(
  failure: DocumentFailure,
  { fileName, is = "" }: { readonly fileName: string; readonly is?: string | undefined },
): string {
  return `${fileName} ${reasons[failure]}${is === "" ? "" : `: it is ${is}`}`;
}
