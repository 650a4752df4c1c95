import { randomUUID } from "node:crypto";
import { createRpcClient } from "parley-client";
import type { Server } from "../server.ts";

/** Creates an agent that calls a function which requires approval, and then says what came of it. */
export async function approvingAgent({ url, demo }: Server): Promise<string> {
  const { workspaceId, adminKey: apiKey } = demo;
  const rpc = createRpcClient({ url, apiKey });
  const slug = `refund-${randomUUID()}`;
  await rpc.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug,
    description: "Pays an order back",
    inputSchema: {},
    program: { type: "simulated", behaviour: { result: '{"refunded": order}' } },
    requiresApproval: true,
  });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId: workspaceId,
    name: slug,
    description: "Pays back",
    model: { providerId: "simulated", modelId: "simulated-1" },
    functionIds: [slug],
    script: {
      steps: [
        { text: "One moment. ", toolCalls: [{ name: slug, params: { order: "4711" } }] },
        { text: "Done: {{result}}" },
      ],
    },
  });
  return agentConfiguration.sId;
}
