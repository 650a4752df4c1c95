import { isDatabaseUnwritable } from "@parley/core";

/** How long a process is not ready after the database has refused a write. */
const UNWRITABLE_MS = 5000;

export type WriteHealth = ReturnType<typeof createWriteHealth>;

/** Remembers that the database refused a write: only a write discovers that its disk is full. */
export function createWriteHealth() {
  let failedAt = -Infinity;
  return {
    /** Called with the error of each failed request. */
    note: (error: unknown): void => {
      if (isDatabaseUnwritable(error)) failedAt = performance.now();
    },
    /** Whether a write has failed lately. */
    failed: (): boolean => performance.now() - failedAt < UNWRITABLE_MS,
  };
}
