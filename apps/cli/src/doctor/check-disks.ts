import { statfs } from "node:fs/promises";
import os from "node:os";
import { nearestDirectory } from "@parley/db";
import { fail, type Finding, ok, warn } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

const MIB = 1024 * 1024;

/** Bytes below which something fails soon, and fails now. */
interface Thresholds {
  readonly warnBytes: number;
  readonly failBytes: number;
}

/** The log of the embedded database alone takes 256 MB, and its next file 16 MB. */
const data: Thresholds = { warnBytes: 1024 * MIB, failBytes: 64 * MIB };
/** Uploads and programs pass through it. */
const temporary: Thresholds = { warnBytes: 128 * MIB, failBytes: 8 * MIB };

/** Space of the disks of the data directory and of temporary files. */
export async function checkDisks(around: Surroundings): Promise<readonly Finding[]> {
  const { PARLEY_DATA_DIR: directory } = around.settings;
  const places: [what: string, place: string, thresholds: Thresholds][] = [
    ["temporary disk", os.tmpdir(), temporary],
  ];
  if (around.isEmbedded) places.unshift(["disk", directory, data]);
  return Promise.all(
    places.map(async ([what, place, thresholds]) => {
      const { bavail, bsize, files, ffree } = await statfs(await nearestDirectory(place));
      const hasNames = files === 0 || ffree > 0;
      return judgeDisk({ what, place, freeBytes: bavail * bsize, hasNames }, thresholds);
    }),
  );
}

/** Whether a disk has enough space. */
export function judgeDisk(
  disk: {
    readonly what: string;
    readonly place: string;
    readonly freeBytes: number;
    /** Whether it can hold one more file. */
    readonly hasNames: boolean;
  },
  { warnBytes, failBytes }: Thresholds,
): Finding {
  const { what, place, freeBytes, hasNames } = disk;
  const finding = `${Math.floor(freeBytes / MIB)} MiB are left for ${place}`;
  const cure = `free some space on its disk: ${warnBytes / MIB} MiB at least`;
  if (!hasNames) return fail(what, `${finding}, but no inodes`, "delete files on its disk");
  if (freeBytes < failBytes) return fail(what, finding, cure);
  return freeBytes < warnBytes ? warn(what, finding, cure) : ok(what, finding);
}
