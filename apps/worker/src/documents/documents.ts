/** A stored file. */
export interface DocumentFile {
  readonly workspaceId: number;
  /** The file's string id. */
  readonly fileId: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;
  readonly contentType: string;
  readonly fileName: string;
  readonly sizeBytes: number;
}

/** Why something is not known of a file, as a stable code and a message that names the file. */
export interface DocumentRefusal {
  readonly failure: string;
  readonly message: string;
}

/** The text of a file, or why it has none. */
export type DocumentText = { readonly text: string } | DocumentRefusal;

/** The texts of files for models that do not take them as they are. */
export interface Documents {
  /**
   * The text of a file, bounded, with a last line where it was cut. It is extracted once for each workspace,
   * content and version of the extractor; a text file is read again each time. Throws the reason of the signal, and
   * errors of the database.
   */
  textOf(file: DocumentFile, signal: AbortSignal): Promise<DocumentText>;
  /** The pages of a PDF, which are counted when its text is extracted, or why they cannot be. Throws as `textOf`. */
  pagesOf(file: DocumentFile, signal: AbortSignal): Promise<{ pages: number } | DocumentRefusal>;
  /** Whether files of the type have a text. */
  hasText(contentType: string): boolean;
}
