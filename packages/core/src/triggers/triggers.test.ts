import { agentEditors, apiKeys, auditEvents, triggerEvents, triggers } from "@parley/db";
import { endpoints, EVENT_RETENTION_MS, parseInput } from "@parley/schema";
import { asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { expireTestLeases, openTestContext, readTestRuns } from "../../testing/testing.ts";
import { createTestTrigger } from "../../testing/triggers.ts";
import type { CoreContext } from "../create-core.ts";
import {
  claimTriggerEvents,
  loadTriggerEvent,
  takeOverTriggerEvents,
} from "./claim-trigger-events.ts";
import { settleTriggerEvent } from "./settle-trigger-event.ts";
import { sweepTriggerEvents } from "./sweep-trigger-events.ts";
import { listTriggers, readTrigger, updateTrigger } from "./triggers.ts";

const DAY_MS = 86_400_000;
const claiming = {
  workerId: "w",
  leaseMs: 60_000,
  limit: 10,
  after: 0,
  perWorkspace: 10,
  held: [],
};

describe("triggers", () => {
  const test = workspaceTest({ role: "admin", agents: ["ann"] });
  const db = () => test.core.database.db;
  const named = (triggerId: string) => ({ wId: test.workspaceId, triggerId });
  const eventsOfTest = () =>
    db()
      .select()
      .from(triggerEvents)
      .where(eq(triggerEvents.workspaceId, test.workspace.id))
      .orderBy(asc(triggerEvents.id));
  const triggersOfTest = () =>
    db().select().from(triggers).where(eq(triggers.workspaceId, test.workspace.id));
  const idsFor = async (context: CoreContext) => {
    const input = parseInput(endpoints["triggers.listAll"], { wId: test.workspaceId });
    return (await listTriggers(context, input)).triggers.map(({ sId }) => sId);
  };

  it("of an agent with editors are for these and for admins, and its builder's changes for the builder's key", async () => {
    const builder = await openTestContext(test.core, test.workspace, "builder");
    const { user, apiKey } = builder.caller;
    const sId = await createTestTrigger(test.context);
    expect(await idsFor(builder)).toEqual([sId]);
    const editor = { workspaceId: test.workspace.id, agentSid: "ann" };
    await db()
      .insert(agentEditors)
      .values({ ...editor, userId: test.context.caller.user.id });
    expect(await idsFor(builder)).toEqual([]);
    await expect(readTrigger(builder, named(sId))).rejects.toThrow(/no such trigger/);
    await expect(createTestTrigger(builder)).rejects.toThrow(/only admins and the editors/);
    await db()
      .insert(agentEditors)
      .values({ ...editor, userId: user.id });
    expect(await idsFor(builder)).toEqual([sId]);
    const change = { ...named(sId), version: 0, description: "x" };
    const { trigger } = await updateTrigger(
      builder,
      parseInput(endpoints["triggers.update"], change),
    );
    expect(trigger).toMatchObject({ keyId: apiKey.sid, version: 1, description: "x" });
    const again = { ...named(sId), version: 1, name: "y" };
    const kept = await updateTrigger(test.context, parseInput(endpoints["triggers.update"], again));
    expect(kept.trigger.keyId).toBe(apiKey.sid);
  });

  it("whose event is taken over are worked on once more, and settled by who holds it", async () => {
    await createTestTrigger(test.context);
    const [run] = (await claimTriggerEvents(test.core, claiming)).runs;
    const loaded = (await loadTriggerEvent(db(), run!.subjectId))!;
    await expireTestLeases(test.core);
    const [taken] = await takeOverTriggerEvents(test.core, claiming);
    const settle = (held: typeof run) =>
      settleTriggerEvent(test.core, { run: held!, loaded, outcome: "tried", message: "x" });
    await expect(settle(run)).rejects.toThrow(/no longer holds/);
    await settle(taken);
    expect(await readTestRuns(test.core)).toEqual([]);
    expect(await eventsOfTest()).toMatchObject([
      { status: "tried", message: "x", finishedAt: expect.any(Number) },
    ]);
  });

  it("are switched off with their key, which the audit log says", async () => {
    const sId = await createTestTrigger(test.context);
    await db().update(apiKeys).set({ revokedAt: 1 });
    const [run] = (await claimTriggerEvents(test.core, claiming)).runs;
    const loaded = (await loadTriggerEvent(db(), run!.subjectId))!;
    const end = { outcome: "failed", error: "The key is revoked", isKeyRevoked: true } as const;
    await settleTriggerEvent(test.core, { run: run!, loaded, ...end });
    expect(await triggersOfTest()).toMatchObject([{ disabledFor: "key_revoked" }]);
    const done = await db().select().from(auditEvents).where(eq(auditEvents.subjectId, sId));
    expect(done.map(({ action }) => action)).toContain("triggers.disable");
  });

  it("keep what they receive for seven days, and of all but the newest the keys alone", async () => {
    await createTestTrigger(test.context);
    const [{ id: triggerId } = { id: 0 }] = await triggersOfTest();
    await db().delete(triggerEvents);
    const add = async (onceKey: string | null, daysAgo: number, isWaiting = false) =>
      db()
        .insert(triggerEvents)
        .values({
          sid: test.core.newId("tre"),
          workspaceId: test.workspace.id,
          triggerId,
          onceKey,
          status: isWaiting ? "waiting" : "started",
          body: Buffer.from("{}"),
          bytes: 2,
          createdAt: test.core.now() - daysAgo * DAY_MS,
        });
    await add("gone", 8);
    await add("waits", 8, true);
    await add("old", 3);
    await add(null, 3);
    await add("new", 2);
    await add(null, 1);
    expect(EVENT_RETENTION_MS).toBe(7 * DAY_MS);
    expect(await sweepTriggerEvents(test.core, { kept: 2 })).toBe(3);
    expect(await sweepTriggerEvents(test.core, { kept: 2 })).toBe(0);
    const left = await eventsOfTest();
    expect(left.map(({ onceKey, body }) => [onceKey, body !== null])).toEqual([
      ["waits", true],
      ["old", false],
      ["new", true],
      [null, true],
    ]);
  });
});
