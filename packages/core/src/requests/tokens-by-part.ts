import type { RequestParts } from "@parley/db";
import { type RecordedRequest, REQUEST_PARTS } from "@parley/schema";

/** Most texts have about four bytes for each token. */
const BYTES_PER_TOKEN = 4;

/**
 * Divides the tokens that the service has counted among the parts of a request: by their bytes, and for files by an
 * estimate of their tokens. Without a count, what is estimated is given.
 */
export function tokensByPart(
  parts: RequestParts,
  counted: number | null,
): RecordedRequest["tokensByPart"] {
  const estimates = REQUEST_PARTS.map((part) => {
    const size = parts[part] ?? 0;
    return { part, tokens: part === "files" ? size : size / BYTES_PER_TOKEN };
  });
  const sum = estimates.reduce((total, { tokens }) => total + tokens, 0);
  const factor = counted === null || sum === 0 ? 1 : counted / sum;
  return estimates
    .filter(({ tokens }) => tokens > 0)
    .map(({ part, tokens }) => ({ part, tokens: Math.round(tokens * factor) }));
}
