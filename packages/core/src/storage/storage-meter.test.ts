import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";

const test = workspaceTest({ per: "suite" });

it("has written what was added when it was flushed, also if that was being written", async () => {
  const { storage } = test.core;
  storage.add(test.workspace.id, 5);
  let isWritten = false;
  const first = storage.flush().then(() => (isWritten = true));
  // The statement has been sent by then.
  await turn();
  await turn();
  await storage.flush();
  expect(isWritten).toBe(true);
  await first;
});
