import { watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Io } from "@parley/command/io";

/** Changes that come shortly after each other are one. */
const SETTLE_MS = 300;

/**
 * Does something now and after each change in a folder, until Ctrl-C. What changes meanwhile, is done again after it. Throws
 * what the work throws, and if the folder can no longer be watched.
 */
export async function repeatOnChange(
  io: Io,
  folder: string,
  work: () => Promise<unknown>,
  isOfInterest: (file: string) => boolean = () => true,
): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  let changed = Promise.withResolvers<void>();
  const watcher = watch(folder, { recursive: true, signal }, (_event, file) => {
    if (file === null || isOfInterest(file)) changed.resolve();
  });
  watcher.once("error", (error) => changed.reject(error));
  io.signal.once("SIGINT", () => {
    stop.abort();
    changed.resolve();
  });
  while (!signal.aborted) {
    changed = Promise.withResolvers();
    // It is awaited after the work.
    changed.promise.catch(() => {});
    // oxlint-disable no-await-in-loop -- the work after a change
    await work();
    await changed.promise;
    await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
    // oxlint-enable no-await-in-loop
  }
}
