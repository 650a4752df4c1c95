import { apiKeys } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { addTestEditor, openTestContext } from "../../testing/testing.ts";
import { createSchedule, getSchedule, updateSchedule } from "./schedules.ts";

describe("a schedule", () => {
  const test = workspaceTest({ role: "builder", agents: ["ann"] });
  const db = () => test.core.database.db;

  const create = async (context = test.context) => {
    const agent = { agentId: "ann", message: "Report" };
    const given = { wId: test.workspaceId, name: "Report", cron: "@daily", agent };
    return (await createSchedule(context, parseInput(endpoints["schedules.create"], given)))
      .schedule;
  };
  const update = async (
    { sId, version }: { sId: string; version: number },
    changes: object,
    context = test.context,
  ) => {
    const given = { wId: test.workspaceId, scheduleId: sId, version, ...changes };
    return (await updateSchedule(context, parseInput(endpoints["schedules.update"], given)))
      .schedule;
  };
  const get = async ({ sId }: { sId: string }) =>
    (await getSchedule(test.context, { wId: test.workspaceId, scheduleId: sId })).schedule;

  it("keeps its key when admins change it, until they name one", async () => {
    const own = test.context.caller.apiKey;
    const admin = await openTestContext(test.core, test.workspace, "admin");
    const paused = await update(await create(), { name: "Weekly", isPaused: true }, admin);
    expect(paused).toMatchObject({ keyId: own.sid });
    await db().update(apiKeys).set({ revokedAt: 1 }).where(eq(apiKeys.id, own.id));
    await expect(update(paused, { isPaused: false }, admin)).rejects.toThrow(
      "keyId: must name a key to act for",
    );
    const { sid } = admin.caller.apiKey;
    expect(await update(paused, { isPaused: false, keyId: sid }, admin)).toMatchObject({
      keyId: sid,
      pausedFor: null,
    });
  });

  it("is managed by who edits its agent, whose change makes it act for their key", async () => {
    const admin = await openTestContext(test.core, test.workspace, "admin");
    const schedule = await create(admin);
    expect(schedule.keyId).toBe(admin.caller.apiKey.sid);
    const { apiKey } = test.context.caller;
    expect(await update(schedule, { name: "Weekly" })).toMatchObject({ keyId: apiKey.sid });
    await addTestEditor(admin, "ann");
    await expect(get(schedule)).rejects.toMatchObject({ type: "schedule_not_found" });
    await expect(create()).rejects.toMatchObject({ type: "app_auth_error" });
    await addTestEditor(test.context, "ann");
    expect(await get(schedule)).toMatchObject({ name: "Weekly" });
  });
});
