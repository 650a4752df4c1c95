import { accessSync, constants } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { clusterIn, refuseForeignCluster } from "../embedded/cluster.ts";
import { isThere } from "../embedded/programs.ts";
import { readEmbeddedUrl } from "../embedded/start-embedded.ts";
import { findHolder, unusable } from "../lock.ts";
import { isOpenToOthers } from "../private-directory.ts";

/** What a data directory is found to be. */
export interface DirectoryFindings {
  readonly exists: boolean;
  /** Whether other users can enter it; a start closes it. */
  readonly isOpen: boolean;
  /** The process that has it open, in words. */
  readonly holder: string | undefined;
  readonly hasDatabase: boolean;
  /** URL of the PostgreSQL that runs on it. */
  readonly url: string | undefined;
}

/**
 * Looks at a data directory without changing it. Throws what a start on it would: `OpenDirectory`, and
 * `DirectoryUnusable`, also if it would have to be created and cannot be.
 */
export async function inspectDirectory(directory: string): Promise<DirectoryFindings> {
  const whole = path.resolve(directory);
  requireWritable(whole);
  if (!(await isThere(whole))) {
    return { exists: false, isOpen: false, holder: undefined, hasDatabase: false, url: undefined };
  }
  const isOpen = await isOpenToOthers(whole);
  await refuseForeignCluster(whole);
  return {
    exists: true,
    isOpen,
    holder: findHolder(whole),
    hasDatabase: await isThere(clusterIn(whole)),
    url: await readEmbeddedUrl(whole),
  };
}

/** The directory, or the nearest one above it that exists: a start creates those in between. */
export async function nearestDirectory(directory: string): Promise<string> {
  const whole = path.resolve(directory);
  const exists = await stat(whole).then(
    () => true,
    () => false,
  );
  return exists || path.dirname(whole) === whole ? whole : nearestDirectory(path.dirname(whole));
}

function requireWritable(directory: string): void {
  // Root may write everywhere but on disks that are only for reading, and `unusable` says so.
  const refusal = unusable(directory, undefined);
  if (refusal === undefined) return;
  if (isMissing(directory) && path.dirname(directory) !== directory) {
    return requireWritable(path.dirname(directory));
  }
  throw refusal;
}

function isMissing(directory: string): boolean {
  try {
    accessSync(directory, constants.F_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
