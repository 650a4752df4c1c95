import { readdir } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { kindOf, readRegularFile } from "../regular-files.ts";

interface Wanted {
  /** Whether a file or folder of this name is read. */
  readonly takes: (name: string, kind: "folder" | "file") => boolean;
  /** What the files are called. */
  readonly noun: string;
  readonly maxFiles: number;
  /** Files that do not count. */
  readonly beside?: number;
  readonly maxBytes: number;
}

/** Reads the files of a folder as text, by their paths, and follows no link. Throws `CommandError`. */
export async function readFiles(
  folder: string,
  { takes, noun, maxFiles, beside = 0, maxBytes }: Wanted,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  let count = 0;
  let bytesLeft = maxBytes;
  const readInto = async (name: string, place: string): Promise<void> => {
    const entries = await readdir(place, { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      if (!takes(entry.name, entry.isDirectory() ? "folder" : "file")) continue;
      const inner = path.posix.join(name, entry.name);
      const innerPlace = path.join(place, entry.name);
      if ((await kindOf(innerPlace)) === "folder") {
        await readInto(inner, innerPlace);
        continue;
      }
      if (++count > maxFiles + beside) {
        throw new CommandError(`${folder}: has more than ${maxFiles} ${noun}`);
      }
      const bytes = await readRegularFile(innerPlace, { bytesLeft, maxBytes });
      bytesLeft -= bytes.length;
      files[inner] = decode(innerPlace, bytes);
    }
  };
  await readInto("", folder);
  return files;
}

function decode(place: string, bytes: Buffer<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf8", { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${place}: is not UTF-8 text; source files must be`);
  }
}
