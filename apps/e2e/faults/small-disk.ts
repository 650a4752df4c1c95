import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether this user may mount a disk. */
export const canMount = process.platform === "linux" && process.getuid?.() === 0;

/** A small disk of a test's own. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Makes it a disk that is only for reading. */
  freeze(): Promise<void>;
}

/** Mounts an empty disk of this size, as in `20m`. */
export async function mountDisk(size: string): Promise<SmallDisk> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-disk-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=777`, "tmpfs", folder]);
  return {
    path: folder,
    freeze: async () => void (await run("mount", ["-o", "remount,ro", folder])),
    [Symbol.asyncDispose]: async () => {
      await run("umount", ["--lazy", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Takes what is left of a disk, with a file `filler`. */
export async function fill({ path: folder }: SmallDisk): Promise<void> {
  await run("dd", ["if=/dev/zero", `of=${path.join(folder, "filler")}`, "bs=64k"]).catch(() => {});
}
