import { randomUUID } from "node:crypto";
import { createRpcClient } from "parley-client";
import type { Server } from "../server.ts";

type Reached = Pick<Server, "url" | "demo">;

/** Creates an agent that asks others in its first step, each once, and then says what the last one has answered. */
export async function teamAgent({ url, demo }: Reached, asked: readonly string[]): Promise<string> {
  const { agentConfiguration } = await createRpcClient({
    url,
    apiKey: demo.adminKey,
  }).agents.create.mutate({
    wId: demo.workspaceId,
    name: `Asker ${randomUUID()}`,
    description: "Asks others",
    model: { providerId: "simulated", modelId: "simulated-1" },
    team: asked.map((agentId, index) => ({ agentId, name: `mate_${index}` })),
    script: {
      steps: [
        {
          text: "I ask. ",
          toolCalls: asked.map((_, index) => ({
            name: `ask_mate_${index}`,
            params: { task: "Do it" },
          })),
        },
        { text: "They said: {{result}}" },
      ],
    },
  });
  return agentConfiguration.sId;
}
