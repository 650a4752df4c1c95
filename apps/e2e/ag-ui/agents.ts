import { randomUUID } from "node:crypto";
import { HttpAgent, type Message } from "@ag-ui/client";
import { createRpcClient } from "parley-client";
import type { Server } from "../server.ts";

export interface OpenAgent {
  /** The agent's id in the workspace. */
  readonly sId: string;
  readonly threadId?: string;
  readonly messages?: readonly Message[];
  /** Where the server is, by default itself. */
  readonly url?: string;
}

/** An agent of a workspace as the protocol's own client has it. */
export function openAgent(
  { url: own, demo }: Pick<Server, "url" | "demo">,
  { sId, threadId = randomUUID(), messages = [], url = own }: OpenAgent,
): HttpAgent {
  const path = `/api/v1/w/${demo.workspaceId}/assistant/agent_configurations/${sId}/ag-ui`;
  return new HttpAgent({
    url: url + path,
    headers: { Authorization: `Bearer ${demo.adminKey}` },
    threadId,
    initialMessages: [...messages],
  });
}

/** A message of the user. */
export function userMessage(content: string): Message {
  return { id: randomUUID(), role: "user", content };
}

/** What the agent has said, of a list of messages. */
export function saidIn(messages: readonly Message[]): string {
  return messages
    .filter((one) => one.role === "assistant")
    .map(({ content }) => content ?? "")
    .join("|");
}

/** Creates an agent that calls a tool of the application, and says what it was given. */
export async function toolCallingAgent({ url, demo }: Server): Promise<string> {
  const { workspaceId: wId, adminKey: apiKey } = demo;
  const { agentConfiguration } = await createRpcClient({ url, apiKey }).agents.create.mutate({
    wId,
    name: `Weather ${randomUUID()}`,
    description: "Tells the weather",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: {
      steps: [
        { text: "One moment. ", toolCalls: [{ name: "get_weather", params: { city: "Paris" } }] },
        { text: "It is: {{result}}" },
      ],
    },
  });
  return agentConfiguration.sId;
}
