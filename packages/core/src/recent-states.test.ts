import { setImmediate as nextTurn } from "node:timers/promises";
import { type Queryable, spaces } from "@parley/db";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Context } from "./context.ts";
import { createSkillStates, outliveRecentStates } from "./listing-state.ts";
import type { WorkspaceRow } from "./rows.ts";
import {
  drivers,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "./testing.ts";

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`the recent state of the lists of skills ${suite}`, () => {
    let test: TestCore;
    let workspace: WorkspaceRow;
    let context: Context;
    let db: Queryable;
    beforeAll(async () => {
      test = await openTestCore(driver);
      ({ db } = test.core.database);
      workspace = await insertTestWorkspace(test.core);
      context = await openTestContext(test.core, workspace);
    });
    afterAll(() => test.close());

    it("is from before a change nowhere once who made it has waited", async () => {
      const { caller } = context;
      const processes = [createSkillStates(db), createSkillStates(db), createSkillStates(db)];
      let known = "";
      for (let change = 0; change < 20; change++) {
        let changed = false;
        // Each holds a state that is as new as it can be when the change comes.
        const asking = processes.map(async ({ recent }) => {
          while (!changed) {
            await recent(caller);
            await nextTurn();
          }
        });
        await db
          .update(spaces)
          .set({ name: `change ${change}` })
          .where(eq(spaces.workspaceId, workspace.id));
        await outliveRecentStates();
        changed = true;
        const recent = await Promise.all(processes.map((states) => states.recent(caller)));
        const [version, ...others] = new Set(recent.map((state) => state.version));
        expect(others).toEqual([]);
        expect(version).not.toBe(known);
        known = version ?? "";
        await Promise.all(asking);
      }
    });

    it("is recent for 10 ms from when it was asked for", async () => {
      vi.useFakeTimers({ toFake: ["performance"] });
      try {
        const states = createSkillStates(db);
        const first = states.read(context.caller);
        await first;
        vi.advanceTimersByTime(9);
        expect(states.recent(context.caller)).toBe(first);
        vi.advanceTimersByTime(1);
        const second = states.recent(context.caller);
        expect(second).not.toBe(first);
        await second;
        const third = states.read(context.caller);
        expect(third).not.toBe(second);
        expect(states.recent(context.caller)).toBe(third);
        await third;
      } finally {
        vi.useRealTimers();
      }
    });
  });
}
