import { buffer } from "node:stream/consumers";
import { CommandError } from "@parley/command/command-error";
import { oneLine } from "@parley/command/print";
import { MAX_SKILL_BYTES, MAX_SKILL_FILES } from "@parley/schema";
import { fromBufferPromise } from "yauzl";

export interface ZippedFile {
  /** With slashes, inside of the archive. */
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly isExecutable: boolean;
}

/** The mode of a file of Unix, as archives have it: the upper half of the attributes. */
const FILE_TYPE = 0o170000;
const SYMBOLIC_LINK = 0o120000;
const REGULAR_FILE = 0o100000;

/**
 * Reads the files of an archive in memory. Throws `CommandError` at links, encrypted files, paths that lead out of
 * the archive, more than a skill's files may be, and more bytes than the archive says it has.
 */
export async function readZip(bytes: Buffer): Promise<ZippedFile[]> {
  const files: ZippedFile[] = [];
  let bytesLeft = MAX_SKILL_BYTES;
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true });
    for await (const entry of zip.eachEntry()) {
      const path = entry.fileName;
      if (path.endsWith("/")) continue;
      const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
      if (type === SYMBOLIC_LINK) throw refused(path, "symbolic links are not imported");
      if (type !== 0 && type !== REGULAR_FILE) throw refused(path, "is not a regular file");
      if (entry.isEncrypted()) throw refused(path, "is encrypted");
      if (files.length >= MAX_SKILL_FILES) {
        throw new CommandError(`The archive has more than ${MAX_SKILL_FILES} files`);
      }
      // A stream that has more than this fails: the sizes are validated.
      if (entry.uncompressedSize > bytesLeft) {
        throw new CommandError(`The archive's files exceed ${MAX_SKILL_BYTES} bytes`);
      }
      bytesLeft -= entry.uncompressedSize;
      const content = await buffer(await zip.openReadStreamPromise(entry));
      const isExecutable = ((entry.externalFileAttributes >>> 16) & 0o100) !== 0;
      files.push({ path, content: new Uint8Array(content), isExecutable });
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The archive cannot be read: ${oneLine((error as Error).message)}`, {
      cause: error,
    });
  }
  return files;
}

const refused = (path: string, why: string): CommandError =>
  new CommandError(`${oneLine(path)}: ${why}`);
