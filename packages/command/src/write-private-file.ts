import { randomBytes } from "node:crypto";
import { open, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes a file atomically and durably; only its owner may read it. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, content, { mode: 0o600, flush: true });
  await rename(draft, file);
  // Windows cannot sync a folder.
  if (process.platform === "win32") return;
  await using folder = await open(path.dirname(file));
  await folder.sync();
}
