import type { DocumentFailure } from "@parley/schema";

/** A document has no text that can be given. */
export class DocumentFault extends Error {
  readonly failure: DocumentFailure;
  /** What the file is instead of what its type says. */
  readonly is: string | undefined;

  constructor(failure: DocumentFailure, { is, cause }: { is?: string; cause?: unknown } = {}) {
    super(failure, { cause });
    this.failure = failure;
    this.is = is;
  }
}
