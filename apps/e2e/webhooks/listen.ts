import type { CreateWebhook, WebhookDelivery } from "@parley/schema";
import { afterEach } from "vitest";
import { createCalls } from "../siblings/calls.ts";
import { eventually, type Server } from "../server.ts";
import { type Received, startReceiver } from "./receiver.ts";

export type Events = CreateWebhook["events"];

/** The headers of what was received, as verifiers take them: each has one value. */
export const headersOf = ({ headers }: Received) => headers as Record<string, string>;

/** Makes receivers with webhooks for them in the demo workspace; both are gone after their test. */
export function createListener(server: () => Pick<Server, "url" | "demo">) {
  const calls = createCalls(server);
  const wId = () => server().demo.workspaceId;
  const rpc = () => calls.rpc().webhooks;
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  return {
    calls,
    wId,
    rpc,
    /** Asks an agent, waits for its answer, and gives the id of the conversation. */
    ask: async (further: object = {}, agent = "helper") => {
      const { conversation } = await calls.create("Hello", [agent], { blocking: true, ...further });
      return conversation.sId;
    },
    listen: async (
      events: Events,
      settings: Partial<CreateWebhook> = {},
      answer?: Parameters<typeof startReceiver>[0],
    ) => {
      const receiver = await startReceiver(answer);
      const input = { wId: wId(), url: receiver.url, events, ...settings };
      const { webhook, secret } = await rpc().create.mutate(input);
      const named = { wId: wId(), webhookId: webhook.sId };
      closing.push(async () => {
        const { version } = (await rpc().get.query(named)).webhook;
        await rpc().remove.mutate({ ...named, version });
      }, receiver.close);
      const deliveries = async (more: object = {}) =>
        (await rpc().listDeliveries.query({ ...named, ...more })).deliveries;
      /** Resolves with the deliveries once they are as many, and none waits for its first attempt. */
      const tried = (count: number) =>
        eventually<WebhookDelivery[]>(async () => {
          const all = await deliveries();
          const isTried = all.every(({ attempts }) => attempts.length > 0);
          return all.length >= count && isTried ? { value: all } : {};
        }, 20_000);
      return { receiver, named, secret, deliveries, tried };
    },
  };
}
