import type { ClaimedRun, Core } from "@parley/core";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startWaking } from "./wake-loops.ts";

type Kind = ClaimedRun["kind"];

const kinds: readonly Kind[] = ["agent_turn", "division", "invocation"];

/** Wakes loops that note their kinds, until three were woken. */
async function wakeThree(core: Core) {
  const woken: Kind[] = [];
  const failures: unknown[] = [];
  const loops = kinds.map((kind) => {
    const wake = () => void woken.push(kind);
    return [kind, { wake, wantedPlaces: () => 0, ended: () => {}, close: async () => {} }] as const;
  });
  const attempt = async (work: () => Promise<void>): Promise<boolean> =>
    work().then(
      () => true,
      (error: unknown) => failures.push(error) < 0,
    );
  const stop = startWaking({ core, loops: new Map(loops), running: new Map(), attempt });
  await vi.waitUntil(() => woken.length >= 3);
  await stop();
  return { woken: woken.slice(0, 3), failures };
}

describe("startWaking", () => {
  let test: TestCore;
  beforeAll(async () => {
    test = await openTestCore({ safetyPollMs: 10 });
  });
  afterAll(() => test.close());

  it("wakes the kinds of which runs wait, at once and from time to time", async () => {
    const workspace = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, workspace, { sid: "helper" });
    await createTestConversation(await openTestContext(test.core, workspace), ["helper"]);
    const { woken, failures } = await wakeThree(test.core);
    expect(woken).toEqual(["agent_turn", "agent_turn", "agent_turn"]);
    expect(failures).toEqual([]);
  });

  it("wakes all loops when it cannot look, so that each tries until it can", async () => {
    const opened = await openTestCore();
    await opened.close();
    const { woken, failures } = await wakeThree(opened.core);
    expect(woken).toEqual(kinds);
    expect(failures).toHaveLength(1);
  });
});
