import { chmod, lchown, lstat, readdir } from "node:fs/promises";
import path from "node:path";
import type { Account } from "./run-program.ts";

/**
 * Makes the account of PostgreSQL the only owner of a folder and its contents, which may have been copied
 * or created by another user.
 */
export async function giveTo(folder: string, { user }: Account): Promise<void> {
  if (process.platform === "win32") return;
  await chmod(folder, 0o700);
  // Only root can change owners.
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = user ?? { uid: 0, gid: 0 };
  // Some copies by root preserve the owners of files, but not of folders.
  const samples = [".", ...(await readdir(folder))].map((name) => lstat(path.join(folder, name)));
  if ((await Promise.all(samples)).every((one) => one.uid === uid)) return;
  for (const name of await readdir(folder, { recursive: true })) {
    await lchown(path.join(folder, name), uid, gid);
  }
  // Last, so that an interrupted change is repeated.
  await lchown(folder, uid, gid);
}
