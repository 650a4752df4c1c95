import {
  type Core,
  extractText,
  FILE_TEXT_BYTES,
  findFileText,
  findStoredFile,
  readBytes,
  saveFileText,
  type StoredFileText,
} from "@parley/core";
import { createExtractor, type Extraction, type ExtractText } from "@parley/sandbox";
import {
  acceptedTypeOf,
  describeDocumentFailure,
  type DocumentFailure,
  type DocumentKind,
  documentKindOf,
  isDocumentFailure,
  isPassing,
  toStorable,
} from "@parley/schema";
import type { DocumentMetrics } from "./document-metrics.ts";
import type { DocumentFile, DocumentRefusal, Documents, DocumentText } from "./documents.ts";
import { createSharedWork } from "./shared-work.ts";

/** They go up with each change of what an extractor gives: files are then read again, on their next use. */
const versions: Readonly<Record<DocumentKind, number>> = {
  pdf: 2,
  docx: 1,
  xlsx: 1,
  pptx: 1,
  rtf: 1,
};
/** How often a process may be ended from outside before the file is named. */
const ATTEMPTS = 2;

export interface DocumentsOptions {
  readonly core: Core;
  readonly metrics: DocumentMetrics;
  /** Replaces the extractor in tests. */
  readonly extract?: ExtractText;
}

/** Creates the texts of files; nothing runs and nothing is loaded until the first one is wanted. */
export function createDocuments({
  core,
  metrics,
  extract = createExtractor(),
}: DocumentsOptions): Documents {
  const share = createSharedWork<StoredFileText>();

  const attempt = async (
    file: DocumentFile,
    kind: DocumentKind,
    signal: AbortSignal,
  ): Promise<Extraction> => {
    const { workspaceId } = file;
    const stored = await findStoredFile(core, file);
    if (stored === undefined) return { failure: "deleted" };
    const bytes = readBytes(core, stored.id, { start: 0, end: stored.sizeBytes });
    try {
      return await extract({ workspaceId, kind, bytes, signal });
    } catch (error) {
      const isGone = !signal.aborted && (await findStoredFile(core, file)) === undefined;
      if (isGone) return { failure: "deleted" };
      throw error;
    }
  };

  const extractFile = async (
    file: DocumentFile,
    kind: DocumentKind,
    signal: AbortSignal,
  ): Promise<Extraction> => {
    for (let attempts = 1; ; attempts++) {
      const startedAt = performance.now();
      const extraction = await attempt(file, kind, signal);
      const outcome = "text" in extraction ? "text" : extraction.failure;
      metrics.ended(kind, outcome, performance.now() - startedAt);
      if (outcome !== "interrupted" || attempts >= ATTEMPTS) return extraction;
    }
  };

  /** What is stored of a document; it is extracted, if nothing is. */
  const readDocument = async (
    file: DocumentFile,
    kind: DocumentKind,
    signal: AbortSignal,
  ): Promise<StoredFileText> => {
    const { workspaceId, sha256 } = file;
    const key = { workspaceId, sha256, extractor: `${kind}-${versions[kind]}` };
    const known = await findFileText(core, key);
    if (known !== undefined) return known;
    const work = async (ended: AbortSignal): Promise<StoredFileText> => {
      const extraction = await extractFile(file, kind, ended);
      const result = toStored(extraction);
      if (isLasting(extraction)) await saveFileText(core, key, result);
      return result;
    };
    return share(Object.values(key).join(" "), signal, work);
  };

  return {
    hasText: (contentType) => {
      const reading = acceptedTypeOf(contentType)?.reading;
      return reading === "text" || reading === "page" || documentKindOf(contentType) !== undefined;
    },
    textOf: async (file, signal) => {
      signal.throwIfAborted();
      const kind = documentKindOf(file.contentType);
      if (kind === undefined) return readPlain(core, file, signal);
      const stored = await readDocument(file, kind, signal);
      return stored.text === null ? toRefusal(stored, file) : { text: stored.text };
    },
    pagesOf: async (file, signal) => {
      signal.throwIfAborted();
      const stored = await readDocument(file, "pdf", signal);
      return stored.pages === null ? toRefusal(stored, file) : { pages: stored.pages };
    },
  };
}

/** Reads a file that is text, or a page, as an upload does. */
async function readPlain(
  core: Core,
  file: DocumentFile,
  signal: AbortSignal,
): Promise<DocumentText> {
  const stored = await findStoredFile(core, file);
  if (stored === undefined) return failed("deleted", file);
  const chunks: Uint8Array[] = [];
  const end = Math.min(stored.sizeBytes, FILE_TEXT_BYTES);
  for await (const chunk of readBytes(core, stored.id, { start: 0, end })) chunks.push(chunk);
  const { contentType, workspaceId } = file;
  const begun = { beginning: Buffer.concat(chunks), contentType, sizeBytes: stored.sizeBytes };
  const options = { workspaceId, origin: "run", signal } as const;
  const text = await extractText(core.threads, begun, options);
  return text === null ? failed("not_read", file) : { text };
}

/** What depends on the file alone is kept. */
function isLasting(extraction: Extraction): boolean {
  return "text" in extraction || !isPassing(extraction.failure);
}

/** A failure is stored as its code, with what the file is instead after a space. */
function toStored(extraction: Extraction): StoredFileText {
  const { pages = null } = extraction;
  if ("text" in extraction) return { text: toStorable(extraction.text), failure: null, pages };
  const { failure, is } = extraction;
  const code = is === undefined ? failure : toStorable(`${failure} ${is}`);
  return { text: null, failure: code, pages };
}

function toRefusal({ failure }: StoredFileText, file: DocumentFile): DocumentRefusal {
  const [code = "", ...is] = (failure ?? "").split(" ");
  return failed(isDocumentFailure(code) ? code : "damaged", file, is.join(" "));
}

function failed(failure: DocumentFailure, { fileName }: DocumentFile, is = ""): DocumentRefusal {
  return { failure, message: describeDocumentFailure(failure, { fileName, is }) };
}
