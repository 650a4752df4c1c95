import { createFairPlaces } from "@parley/fair-queue";
import {
  type ExtractedDocument,
  extractDocument,
  type ExtractionLimits,
} from "./extract-document.ts";
import type { Extraction } from "./question.ts";

/** A document of a workspace. */
export interface QueuedDocument extends ExtractedDocument {
  readonly workspaceId: number;
  readonly signal: AbortSignal;
}

/** Extracts the text of a document when it is the turn of its workspace; throws as `extractDocument`. */
export type ExtractText = (document: QueuedDocument) => Promise<Extraction>;

/** Two, of which a workspace has one, so that another need not wait; each takes up to 384 MiB. */
const PLACES = 2;

/** Creates what extracts texts, in processes for which workspaces take turns; none is started before the first text. */
export function createExtractor(limits: Partial<ExtractionLimits> = {}): ExtractText {
  const places = createFairPlaces(PLACES);
  return async (document) => {
    const leave = await places.enter(document.workspaceId, document.signal);
    try {
      return await extractDocument(document, limits);
    } finally {
      leave();
    }
  };
}
