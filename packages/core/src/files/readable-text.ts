import { createHash } from "node:crypto";
import type { ReadableFile } from "./files.ts";

/** A file of a text that is in memory. */
export function readableText(
  text: string,
  about: Pick<ReadableFile, "contentType" | "fileName">,
): ReadableFile {
  const bytes = new TextEncoder().encode(text);
  return {
    ...about,
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    read: async function* (start, end) {
      yield bytes.subarray(start, end);
    },
  };
}
