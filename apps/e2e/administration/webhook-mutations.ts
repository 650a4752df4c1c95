import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

const settings = {
  url: "https://webhooks.example/events",
  events: ["message.succeeded" as const],
  agentIds: ["helper"],
};

type Rpc = Pick<ReturnType<typeof createCalls>, "rpc">;

interface WithWebhook {
  readonly webhook: { readonly sId: string };
}
const webhookIn = ({ webhook }: WithWebhook): string => webhook.sId;

const createIn = (server: () => Server, { rpc }: Rpc) => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const create = async (more: object = {}) =>
    webhookIn(await rpc().webhooks.create.mutate({ ...ofDemo(), ...settings, ...more }));
  return { ofDemo, create };
};

/** The mutations of webhooks, each with what it needs to be done. */
export function describeWebhookMutations(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Doable>> {
  const { ofDemo, create } = createIn(server, rpc);
  const ofNew = (more: object) => async () => {
    const webhookId = await create();
    return { input: { ...ofDemo(), webhookId, ...more }, subject: webhookId };
  };
  return {
    "webhooks.create": async () => ({ input: { ...ofDemo(), ...settings }, subject: webhookIn }),
    "webhooks.update": ofNew({ version: 0, description: "x" }),
    "webhooks.remove": ofNew({ version: 0 }),
    "webhooks.rotateSecret": ofNew({}),
    "webhooks.test": ofNew({}),
    "webhooks.redeliver": ofNew({}),
    "webhooks.replay": ofNew({ from: 0 }),
  };
}

/** The queries of webhooks, each with an input that it answers. */
export function describeWebhookQueries(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Pick<Doable, "input" | "asOperator">>> {
  const { ofDemo, create } = createIn(server, rpc);
  const ofNew = async () => ({ input: { ...ofDemo(), webhookId: await create() } });
  return {
    "webhooks.list": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "webhooks.get": ofNew,
    "webhooks.listDeliveries": ofNew,
    // It settles deliveries, and is not audited.
    "webhooks.take": async () => ({
      input: { ...ofDemo(), webhookId: await create({ isPulled: true }) },
    }),
  };
}
