import type { ClaimedRun } from "@parley/core";
import { expect, it } from "vitest";
import { createPersistence } from "./outage.ts";

it("counts a run as waiting for the database only while it does nothing else", async () => {
  const persistence = createPersistence({ random: () => 0 });
  // Nothing of it is read.
  const run = {} as ClaimedRun;
  const { signal } = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waits = persistence.retry(run, signal, async () => promise);
  expect(persistence.waitingSince(run)).toBeDefined();
  resolve("done");
  expect(await waits).toBe("done");
  const place = Promise.withResolvers<string>();
  let attempts = 0;
  const long = persistence.retryLong(signal, async () => {
    attempts++;
    if (attempts === 1) throw Object.assign(new Error("The database is gone"), { code: "57P01" });
    return place.promise;
  });
  await expect.poll(() => attempts).toBe(2);
  expect(persistence.waitingSince(run)).toBeUndefined();
  place.resolve("read");
  expect(await long).toBe("read");
});
