import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import type { ReadableFile } from "./files.ts";

/** A file of an archive; its path has slashes. */
export type ZipEntry = Pick<ReadableFile, "sizeBytes" | "sha256" | "read"> & {
  readonly path: string;
  readonly isExecutable?: boolean;
};

/**
 * A zip archive of files, without compression: so its size is known before they are read. Each is read when the
 * reader comes to it, a chunk at a time.
 */
export function readableZip(
  entries: readonly ZipEntry[],
  { fileName, modifiedAt }: { readonly fileName: string; readonly modifiedAt: number },
): ReadableFile {
  const facts = entries.map(({ path, sizeBytes, sha256, isExecutable = false }) => {
    return [path, sizeBytes, sha256, isExecutable];
  });
  const mtime = new Date(modifiedAt);
  const sha256 = createHash("sha256")
    .update(JSON.stringify([modifiedAt, facts]))
    .digest("hex");
  const sizeBytes = writeZip(new ZipFile(), { entries, mtime, open: () => {} });
  return {
    contentType: "application/zip",
    fileName,
    sizeBytes,
    // It names the bytes as well as their own digest would, which is not known before they are read.
    sha256,
    read: async function* (start, end) {
      const zip = new ZipFile();
      const output = zip.outputStream as Readable;
      zip.on("error", (error: Error) => output.destroy(error));
      writeZip(zip, {
        entries,
        mtime,
        open: (entry, done) => {
          const bytes = Readable.from(entry.read(0, entry.sizeBytes), { objectMode: false });
          bytes.once("error", (error) => zip.emit("error", error));
          output.once("close", () => bytes.destroy());
          done(null, bytes);
        },
      });
      let at = 0;
      // Leaving the loop destroys the stream.
      for await (const chunk of output as AsyncIterable<Uint8Array>) {
        const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
        at += chunk.length;
        if (wanted.length > 0) yield wanted;
        if (at >= end) return;
      }
    },
  };
}

/** The modes of files, of which only this difference is kept. */
const REGULAR = 0o100644;
const EXECUTABLE = 0o100755;

type Opened = (error: unknown, bytes: Readable) => void;

/** Adds the entries, which are opened one after the other, and gives the size of the archive. */
function writeZip(
  zip: ZipFile,
  given: {
    readonly entries: readonly ZipEntry[];
    readonly mtime: Date;
    readonly open: (entry: ZipEntry, done: Opened) => void;
  },
): number {
  const { entries, mtime, open } = given;
  for (const entry of entries) {
    const mode = entry.isExecutable === true ? EXECUTABLE : REGULAR;
    const options = { compress: false, size: entry.sizeBytes, mtime, mode };
    zip.addReadStreamLazy(entry.path, options, (done) => open(entry, done));
  }
  let size = -1;
  // It is called at once, as the sizes of all are known; its type lacks the parameter.
  zip.end(undefined, (bytes?: number) => (size = bytes ?? -1));
  if (size < 0) throw new Error("The size of the archive is not known");
  return size;
}
