import { endpoints, parseInput } from "@parley/schema";
import { createAlert } from "../src/alerts/alerts.ts";
import type { CoreContext } from "../src/create-core.ts";
import { createSchedule } from "../src/schedules/schedules.ts";
import { createWebhook } from "../src/webhooks/webhooks.ts";
import { createTestTrigger } from "./triggers.ts";

/** Creates a webhook, a trigger, a schedule of the function `add` and an alert in the workspace of an admin. */
export async function createTestAutomation(context: CoreContext): Promise<void> {
  const { sid: wId } = context.caller.workspace;
  const webhook = { wId, url: "https://x.example", events: ["conversation.created"] } as const;
  await createWebhook(
    context,
    parseInput(endpoints["webhooks.create"], { ...webhook, events: [...webhook.events] }),
  );
  await createTestTrigger(context);
  const schedule = { wId, name: "Daily", cron: "@daily", function: { functionId: "add" } };
  await createSchedule(context, parseInput(endpoints["schedules.create"], schedule));
  const alert = { wId, name: "x", measure: "errors", threshold: 1 } as const;
  await createAlert(context, parseInput(endpoints["alerts.create"], alert));
}
