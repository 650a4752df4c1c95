import { webhookDeliveries, webhooks } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { asc, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { createSecretBox } from "../workspaces/secret-box.ts";
import { sweepDeliveries } from "./sweep-deliveries.ts";
import { createWebhook } from "./webhooks.ts";

const test = workspaceTest({
  role: "admin",
  parts: { secretBox: createSecretBox([new Uint8Array(32)]) },
});
const DAY_MS = 86_400_000;

/** A webhook with deliveries that ended so many days ago, or that wait (null); gives the days of those that are left. */
async function openWebhook(days: readonly (number | null)[]) {
  const { db } = test.core.database;
  const settings = { url: "https://x.example", events: ["message.failed"] };
  const input = { wId: test.workspaceId, ...settings };
  const created = await createWebhook(
    test.context,
    parseInput(endpoints["webhooks.create"], input),
  );
  const [row] = await db.select().from(webhooks).where(eq(webhooks.sid, created.webhook.sId));
  await db.insert(webhookDeliveries).values(
    days.map((ago) => ({
      sid: test.core.newId("whd"),
      workspaceId: test.workspace.id,
      webhookId: row!.id,
      event: "message.failed",
      subject: {},
      status: ago === null ? ("waiting" as const) : ("failed" as const),
      createdAt: 0,
      finishedAt: ago === null ? null : test.core.now() - ago * DAY_MS,
    })),
  );
  return async () => {
    const { webhookId, finishedAt, id } = webhookDeliveries;
    const left = await db
      .select({ finishedAt })
      .from(webhookDeliveries)
      .where(eq(webhookId, row!.id))
      .orderBy(asc(id));
    return left.map((one) =>
      one.finishedAt === null ? null : (test.core.now() - one.finishedAt) / DAY_MS,
    );
  };
}

it("keeps what waits, and of what has ended the newest of each webhook, for a time", async () => {
  const one = await openWebhook([null, 40, 5, 4, null, 3, 2]);
  const other = await openWebhook([31, 29]);
  const sweep = () => sweepDeliveries(test.core, { retentionMs: 30 * DAY_MS, kept: 2 });
  expect(await sweep()).toBe(4);
  expect(await sweep()).toBe(0);
  expect(await one()).toEqual([null, null, 3, 2]);
  expect(await other()).toEqual([29]);
});
