import { createHmac } from "node:crypto";
import { sign as signOfGitHub } from "@octokit/webhooks-methods";
import type { TriggerEvent } from "@parley/schema";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { eventually, type Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

type Headers = Record<string, string>;

/** Signs a body as the services do that are named. */
export const signers = {
  github: async (secret: string, body: string, delivery: string): Promise<Headers> => ({
    "x-github-event": "issues",
    "x-github-delivery": delivery,
    "x-hub-signature-256": await signOfGitHub(secret, body),
  }),
  stripe: async (secret: string, body: string): Promise<Headers> => ({
    "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload: body, secret }),
  }),
  standard_webhooks: async (secret: string, body: string, id: string): Promise<Headers> => {
    const at = new Date();
    return {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(id, at, body),
    };
  },
  slack: async (secret: string, body: string): Promise<Headers> => {
    const at = Math.floor(Date.now() / 1000);
    const digest = createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex");
    return { "x-slack-request-timestamp": String(at), "x-slack-signature": `v0=${digest}` };
  },
};

/** Sends a body as another service does: without a key. */
export function post(url: string, body: string | Uint8Array<ArrayBuffer>, headers: Headers = {}) {
  const type = { "content-type": "application/json" };
  return fetch(url, { method: "POST", headers: { ...type, ...headers }, body });
}

/** Makes triggers in the demo workspace. */
export function createSender(server: () => Pick<Server, "url" | "demo">) {
  const calls = createCalls(server);
  const wId = () => server().demo.workspaceId;
  const rpc = () => calls.rpc().triggers;
  type Settings = Parameters<ReturnType<typeof rpc>["create"]["mutate"]>[0];
  return {
    calls,
    wId,
    rpc,
    create: async (settings: Partial<Settings> & Pick<Settings, "source">) => {
      const agent = settings.function == null ? { agentId: "helper" } : undefined;
      const input = { wId: wId(), name: "Events", agent, ...settings };
      const { trigger, secret, url } = await rpc().create.mutate(input);
      const named = { wId: wId(), triggerId: trigger.sId };
      const events = async (more: object = {}): Promise<TriggerEvent[]> =>
        (await rpc().listEvents.query({ ...named, ...more })).events;
      /** Resolves with the events once they are as many, and none waits. */
      const ended = (count: number) =>
        eventually<TriggerEvent[]>(async () => {
          const all = await events({ limit: 100 });
          const isEnded = all.every(({ status }) => status !== "waiting");
          return all.length >= count && isEnded ? { value: all } : {};
        }, 20_000);
      const whole = async (eventId: string) =>
        (await rpc().getEvent.query({ ...named, eventId })).event;
      return { trigger, secret, url, named, events, ended, whole };
    },
    /** What the user has said first in a conversation. */
    firstMessage: async (cId: string): Promise<string> => {
      const [[first] = []] = (await calls.get(cId)).content;
      return first?.type === "user_message" ? first.content : "";
    },
  };
}
