import { auditEvents, webhookDeliveries, webhooks } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { createSecretBox } from "../workspaces/secret-box.ts";
import { removeAbandonedWebhooks } from "./remove-abandoned.ts";
import { createWebhook } from "./webhooks.ts";

const test = workspaceTest({
  role: "admin",
  parts: { secretBox: createSecretBox([new Uint8Array(32)]) },
});
const HOUR_MS = 3_600_000;

/** Creates a webhook that is so many hours old, and whose deliveries were last taken so many hours ago. */
async function create(ageHours: number, takenHours: number | null, isPulled = true) {
  const { db } = test.core.database;
  const settings = { url: "https://x.example", events: ["message.failed"], isPulled };
  const input = parseInput(endpoints["webhooks.create"], { wId: test.workspaceId, ...settings });
  const { sId } = (await createWebhook(test.context, input)).webhook;
  const ago = (hours: number) => test.core.now() - hours * HOUR_MS;
  const [row] = await db
    .update(webhooks)
    .set({ createdAt: ago(ageHours), takenAt: takenHours === null ? null : ago(takenHours) })
    .where(eq(webhooks.sid, sId))
    .returning();
  await db.insert(webhookDeliveries).values({
    sid: test.core.newId("whd"),
    workspaceId: test.workspace.id,
    webhookId: row!.id,
    event: "message.failed",
    subject: {},
    status: "waiting",
    createdAt: 0,
  });
  return { sId, id: row!.id };
}

it("removes what nobody has taken from for a day, with its deliveries and an entry in the audit log", async () => {
  const { db } = test.core.database;
  const never = await create(25, null);
  const once = await create(50, 25);
  const kept = [await create(50, 23), await create(23, null), await create(50, null, false)];
  expect(await removeAbandonedWebhooks(test.core)).toBe(2);
  expect(await removeAbandonedWebhooks(test.core)).toBe(0);
  const left = await db.select({ sId: webhooks.sid, id: webhooks.id }).from(webhooks);
  expect(left).toEqual(kept);
  const waiting = await db.select({ id: webhookDeliveries.webhookId }).from(webhookDeliveries);
  expect(waiting.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
  const audited = await db
    .select({ subjectId: auditEvents.subjectId, actor: auditEvents.actorId })
    .from(auditEvents)
    .where(eq(auditEvents.action, "webhooks.remove"));
  expect(new Set(audited.map(({ subjectId }) => subjectId))).toEqual(
    new Set([never.sId, once.sId]),
  );
  expect(audited.map(({ actor }) => actor)).toEqual(["server", "server"]);
});
