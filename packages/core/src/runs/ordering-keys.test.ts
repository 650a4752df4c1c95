import { runs } from "@parley/db";
import { asc, ne } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  postTestMessage,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import { wakeQueuedRuns } from "./wake-runs.ts";

describe("turns of one agent in one conversation", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob"] });
  let cId: string;
  beforeEach(async () => {
    const { conversation } = await createTestConversation(test.context, ["ann"]);
    cId = conversation.sId;
  });

  const post = async (agentId: string) => {
    const { agentMessages } = await postTestMessage(test.context, cId, { agentIds: [agentId] });
    return agentMessages[0]!.sId;
  };
  const statuses = async () => {
    const rows = await test.core.database.db.select().from(runs).orderBy(asc(runs.id));
    return rows.map(({ status }) => status);
  };

  it("queue after each other, and not after another agent's", async () => {
    await post("ann");
    await post("bob");
    await post("ann");
    expect(await statuses()).toEqual(["waiting", "queued", "waiting", "queued"]);
    expect(await claimTestTurns(test.core)).toHaveLength(2);
    expect(await claimTestTurns(test.core)).toEqual([]);
  });

  it("wait for a worker once the one before has ended", async () => {
    await post("ann");
    await post("ann");
    await answerTestTurns(test.core);
    expect(await statuses()).toEqual(["finished", "waiting", "queued"]);
    await answerTestTurns(test.core);
    await answerTestTurns(test.core);
    expect(await statuses()).toEqual(["finished", "finished", "finished"]);
  });

  it("wait for a worker once the one before was cancelled, also out of turn", async () => {
    const second = await post("ann");
    const third = await post("ann");
    await post("ann");
    await cancelMessages(test.context, { cId, messageIds: [second] });
    expect(await statuses()).toEqual(["waiting", "finished", "queued", "queued"]);
    await answerTestTurns(test.core);
    expect(await statuses()).toEqual(["finished", "finished", "waiting", "queued"]);
    await cancelMessages(test.context, { cId, messageIds: [third] });
    expect(await statuses()).toEqual(["finished", "finished", "finished", "waiting"]);
  });

  it("are found that were queued while the one before ended", async () => {
    await post("ann");
    await post("ann");
    await answerTestTurns(test.core);
    // As when the first had ended just before the others were written.
    await test.core.database.db
      .update(runs)
      .set({ status: "queued" })
      .where(ne(runs.status, "finished"));
    let woken = 0;
    const unsubscribe = test.core.bus.subscribe("runs", () => woken++);
    expect(await wakeQueuedRuns(test.core, { after: "", limit: 10 })).toBe("");
    expect(await statuses()).toEqual(["finished", "waiting", "queued"]);
    expect(await wakeQueuedRuns(test.core, { after: "", limit: 10 })).toBe("");
    unsubscribe();
    expect(woken).toBe(1);
  });

  it("are looked for in some keys at a time", async () => {
    for (const agentId of ["ann", "bob", "bob"]) await post(agentId);
    const first = await wakeQueuedRuns(test.core, { after: "", limit: 1 });
    expect(first).toMatch(/\/ann$/);
    const second = await wakeQueuedRuns(test.core, { after: first, limit: 1 });
    expect(second).toMatch(/\/bob$/);
    expect(await wakeQueuedRuns(test.core, { after: second, limit: 1 })).toBe("");
    expect(await statuses()).toEqual(["waiting", "queued", "waiting", "queued"]);
  });
});
