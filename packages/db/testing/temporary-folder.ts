import { statfs } from "node:fs/promises";
import os from "node:os";

/** A file system in memory. A disk's makes and deletes many files slowly: a database is 300 of them. */
const MEMORY = "/dev/shm";

/** Where temporary files that stay below a size are made: in memory if it has room, else on the disk. */
export async function chooseTemporaryFolder(neededBytes: number): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => undefined);
  const free = memory === undefined ? 0 : memory.bavail * memory.bsize;
  return Math.min(free, os.freemem()) >= neededBytes ? MEMORY : os.tmpdir();
}
