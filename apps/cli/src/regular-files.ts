import { constants } from "node:fs";
import { chmod, lstat, open } from "node:fs/promises";
import { CommandError } from "@parley/command/command-error";

/** The kind of a path. Throws `CommandError` at symbolic links and other special files. */
export async function kindOf(place: string): Promise<"folder" | "file"> {
  const stats = await lstat(place);
  if (stats.isSymbolicLink()) throw new CommandError(`${place}: symbolic links are not imported`);
  if (stats.isDirectory()) return "folder";
  if (stats.isFile()) return "file";
  throw new CommandError(`${place}: is neither a file nor a folder`);
}

/** How much of a folder may still be read. */
export interface ByteBudget {
  readonly bytesLeft: number;
  readonly maxBytes: number;
}

/** Reads a file that is not a link. Throws `CommandError` if there are more bytes than are left. */
export async function readRegularFile(
  place: string,
  { bytesLeft, maxBytes }: ByteBudget,
): Promise<Buffer<ArrayBuffer>> {
  // The file may have become a link, or a pipe without a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await open(place, flags);
  const stats = await file.stat();
  if (!stats.isFile()) throw new CommandError(`${place}: is not a file`);
  if (stats.size > bytesLeft) {
    throw new CommandError(`${place}: the files exceed ${maxBytes} bytes in total`);
  }
  const bytes = Buffer.alloc(stats.size);
  const { bytesRead } = await file.read(bytes, 0, stats.size, 0);
  return bytes.subarray(0, bytesRead);
}

/** Whether a file's owner may execute it. */
export async function isExecutableFile(place: string): Promise<boolean> {
  return ((await lstat(place)).mode & 0o100) !== 0;
}

/** Makes a file executable for everyone who may read it, or for nobody. */
export async function setExecutable(place: string, isExecutable: boolean): Promise<void> {
  const mode = (await lstat(place)).mode & 0o666;
  await chmod(place, isExecutable ? mode | ((mode & 0o444) >> 2) : mode);
}
