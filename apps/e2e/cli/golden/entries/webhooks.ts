import { eventually } from "../../../programs.ts";
import { startReceiver } from "../../../webhooks/receiver.ts";
import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

const url = "https://shop.example/parley-events";

async function withWebhook({ rpc, wId }: World): Promise<void> {
  await rpc.webhooks.create.mutate({ wId, url, events: ["message.succeeded", "message.failed"] });
}

async function withDisabled(world: World): Promise<void> {
  await withWebhook(world);
  const { rpc, wId } = world;
  const [webhook] = (await rpc.webhooks.list.query({ wId })).webhooks;
  const named = { wId, webhookId: webhook!.sId, version: webhook!.version };
  await rpc.webhooks.update.mutate({ ...named, isEnabled: false });
}

/** Makes a webhook with a delivery that has succeeded. */
async function withDelivery({ rpc, wId }: World): Promise<Prepared> {
  const receiver = await startReceiver();
  try {
    const events = ["message.succeeded" as const];
    const { webhook } = await rpc.webhooks.create.mutate({ wId, url: receiver.url, events });
    const named = { wId, webhookId: webhook.sId };
    await rpc.webhooks.test.mutate(named);
    const delivery = await eventually<string>(async () => {
      const [one] = (await rpc.webhooks.listDeliveries.query(named)).deliveries;
      return one?.status === "succeeded" ? { value: one.sId } : {};
    }, 20_000);
    return { webhook: webhook.sId, delivery };
  } finally {
    await receiver.close();
  }
}

const delivered: Pick<Entry, "prepare" | "args"> = {
  prepare: withDelivery,
  args: ({ webhook = "", delivery = "" }) => [webhook, delivery],
};

/** Commands about webhooks. */
export const webhookEntries: readonly Entry[] = [
  { command: "webhooks list", prepare: withWebhook },
  { command: "webhooks get", prepare: withWebhook, args: [url] },
  {
    command: "webhooks create",
    args: [url, "--event", "message.succeeded", "--event", "message.failed", "--is-ordered"],
    showsSecret: true,
  },
  { command: "webhooks update", prepare: withWebhook, args: [url, "--sends-content"] },
  { command: "webhooks enable", prepare: withDisabled, args: [url] },
  { command: "webhooks disable", prepare: withWebhook, args: [url] },
  {
    command: "webhooks rotate",
    prepare: withWebhook,
    args: [url],
    confirmed: url,
    showsSecret: true,
  },
  { command: "webhooks remove", prepare: withWebhook, args: [url], confirmed: url },
  {
    command: "webhooks test",
    prepare: withWebhook,
    args: [url, "--event", "approval.requested"],
  },
  {
    command: "webhooks deliveries list",
    ...delivered,
    args: ({ webhook = "" }) => [webhook],
  },
  {
    command: "webhooks deliveries get",
    ...delivered,
    varying: [[/(?<=durationMs: )\d+/g, "N"]],
  },
  {
    command: "webhooks redeliver",
    ...delivered,
    args: ({ webhook = "", delivery = "" }) => [webhook, "--delivery-id", delivery],
  },
  {
    command: "webhooks listen",
    args: ["--forward", url, "--event", "message.succeeded"],
    until: /whsec_/,
    showsSecret: true,
    // It is gone before the ids are read.
    varying: [[/whk_\w+/g, "whk_ID"]],
  },
  { command: "webhooks replay", prepare: withWebhook, args: [url, "--from", "2026-11-01"] },
];
