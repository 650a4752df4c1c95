import type { DocumentFailure, DocumentKind } from "@parley/schema";

/** What an extractor is asked; the bytes of the document follow. */
export interface ExtractionQuestion {
  readonly kind: DocumentKind;
  /** Characters of text after which it stops. */
  readonly maxCharacters: number;
  readonly maxPages: number;
  /** Bytes that the parts of an archive may have together when they are unpacked. */
  readonly maxUnpackedBytes: number;
}

/** The text of a document, or why it has none. */
export type Extraction = (
  | { readonly text: string }
  | {
      readonly failure: DocumentFailure;
      /** What the file is instead of what its type says. */
      readonly is?: string | undefined;
    }
) & {
  /** Of a PDF, unless they could not be counted. */
  readonly pages?: number | undefined;
};
