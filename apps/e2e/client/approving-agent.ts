import { randomUUID } from "node:crypto";
import { createRpcClient } from "parley-client";
import type { Server } from "../server.ts";

/**
 * Creates an agent that calls a function which requires approval, and then says what came of it; it may ask
 * its user in the same step.
 */
export async function approvingAgent(
  { url, demo }: Server,
  { asks = false }: { asks?: boolean } = {},
): Promise<string> {
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
    asksUser: asks,
    script: {
      steps: [
        {
          text: "One moment. ",
          toolCalls: [
            { name: slug, params: { order: "4711" } },
            ...(asks ? [{ name: "ask_user", params: { question: "Why?" } }] : []),
          ],
        },
        { text: "Done: {{result}}" },
      ],
    },
  });
  return agentConfiguration.sId;
}

/** Creates an agent that asks its user which size it is, and then says what it was answered. */
export async function askingAgent({ url, demo }: Server): Promise<string> {
  const { workspaceId, adminKey: apiKey } = demo;
  const options = [{ label: "Small" }, { label: "Large" }];
  const params = { question: "Which size?", options };
  const { agentConfiguration } = await createRpcClient({ url, apiKey }).agents.create.mutate({
    wId: workspaceId,
    name: `Asking ${randomUUID()}`,
    description: "Asks",
    model: { providerId: "simulated", modelId: "simulated-1" },
    asksUser: true,
    script: {
      steps: [
        { text: "Well. ", toolCalls: [{ name: "ask_user", params }] },
        { text: "So: {{result}}" },
      ],
    },
  });
  return agentConfiguration.sId;
}
