import { createRpcClient } from "parley-client";
import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";

/** What a builder is refused, who sets webhooks of agents alone. */
export function wrongWebhooks(
  calls: Pick<ReturnType<typeof createCalls>, "operator">,
  {
    server,
    call,
  }: {
    readonly server: () => Server;
    readonly call: (name: string, input: object, key?: string) => Promise<string>;
  },
): Record<string, () => Promise<string>> {
  const webhook = { url: "https://webhooks.example/x", events: ["message.failed" as const] };
  const builder = async () => {
    const { workspaceId: wId } = server().demo;
    const key = { wId, name: "builder", role: "builder" as const };
    return { wId, key: (await calls.operator().apiKeys.create.mutate(key)).secret };
  };
  return {
    "webhooks.create app_auth_error": async () => {
      const { wId, key } = await builder();
      return call("webhooks.create", { wId, ...webhook }, key);
    },
    "webhooks.update app_auth_error": async () => {
      const { wId, key } = await builder();
      const { webhooks } = createRpcClient({ url: server().url, apiKey: key });
      const made = await webhooks.create.mutate({ wId, ...webhook, agentIds: ["helper"] });
      const { sId: webhookId, version } = made.webhook;
      return call("webhooks.update", { wId, webhookId, version, agentIds: null }, key);
    },
  };
}
