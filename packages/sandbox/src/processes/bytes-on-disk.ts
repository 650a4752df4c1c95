import { lstat, readdir } from "node:fs/promises";
import path from "node:path";

/** A file takes as much of a disk, however little it contains: its name and its place. */
const FILE_BYTES = 512;

/** What the files below a folder take, links not followed; it stops counting past `enough`. */
export async function bytesOnDisk(folder: string, enough: number): Promise<number> {
  let bytes = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && bytes <= enough; next = folders.pop()) {
    // What is looked at may just have been removed.
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const place = path.join(next, entry.name);
      if (entry.isDirectory()) folders.push(place);
      const found = await lstat(place).catch(() => undefined);
      bytes += FILE_BYTES + (found?.size ?? 0);
      if (bytes > enough) break;
    }
  }
  return bytes;
}
