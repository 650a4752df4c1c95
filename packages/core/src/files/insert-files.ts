import { createHash } from "node:crypto";
import { FILE_CHUNK_BYTES, fileChunks, files, type Queryable } from "@parley/db";
import { imageSize } from "@parley/schema";
import type { FileRow } from "../data-access/rows.ts";
import { FILE_TEXT_BYTES, readText } from "./file-text.ts";

/** Chunks that a statement writes: a megabyte. */
const CHUNKS_AT_ONCE = 4;

/** A file whose bytes are at hand. */
export interface WholeFile extends Pick<
  FileRow,
  "id" | "sid" | "workspaceId" | "contentType" | "fileName" | "useCase" | "createdAt"
> {
  readonly bytes: Uint8Array;
  /** The conversation whose readers read it; none for a file of its own. */
  readonly conversationId?: number | undefined;
}

/** Stores files with their bytes and texts. */
export async function insertFiles(db: Queryable, whole: readonly WholeFile[]): Promise<void> {
  if (whole.length === 0) return;
  await db.insert(files).values(
    whole.map(({ bytes, ...row }) => {
      const about = { contentType: row.contentType, sizeBytes: bytes.length };
      return {
        ...row,
        sizeBytes: bytes.length,
        status: "ready" as const,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        ...imageSize(bytes.subarray(0, FILE_CHUNK_BYTES)),
        text: readText({ ...about, beginning: bytes.subarray(0, FILE_TEXT_BYTES) }),
      };
    }),
  );
  const chunks = whole.flatMap(({ id: fileId, bytes }) =>
    Array.from({ length: Math.ceil(bytes.length / FILE_CHUNK_BYTES) }, (_, position) => {
      const start = position * FILE_CHUNK_BYTES;
      return { fileId, position, data: bytes.subarray(start, start + FILE_CHUNK_BYTES) };
    }),
  );
  for (let start = 0; start < chunks.length; start += CHUNKS_AT_ONCE) {
    await db.insert(fileChunks).values(chunks.slice(start, start + CHUNKS_AT_ONCE));
  }
}
