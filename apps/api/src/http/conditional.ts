import { createHash } from "node:crypto";

/** A weak validator of bytes, the same in every content encoding. */
export function etagOf(bytes: Buffer): string {
  return `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
}

/**
 * Whether an `If-None-Match` contains a tag, compared weakly (RFC 9110, 13.1.2). Libraries for this obey
 * the request's `Cache-Control: no-cache`, which `fetch` adds by itself: it would never get a 304.
 */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}
