import http from "node:http";
import { createRpcClient } from "parley-client";
import type { Fleet } from "./fleet.ts";

/** Followers of one answer, and how long its tokens are: enough that a process has no time left. */
const FOLLOWERS = 200;
const TOKENS = 1000;

/** What followers got. */
export interface Delivered {
  readonly events: number;
  readonly elapsedMs: number;
}

/** Lets an agent answer, and counts the events that all its followers get, spread over the APIs. */
export async function followAnswer(fleet: Fleet): Promise<Delivered> {
  const { workspaceId, adminKey } = fleet.demo;
  const [first] = fleet.apis;
  const rpc = createRpcClient({ url: first?.url ?? "", apiKey: adminKey });
  const { agentConfiguration: agent } = await rpc.agents.create.mutate({
    wId: workspaceId,
    name: `Talker ${performance.now()}`,
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: "token ".repeat(TOKENS) }], tokenDelayMs: 5 },
  });
  const { conversation } = await rpc.conversations.create.mutate({
    wId: workspaceId,
    message: { content: "Talk", mentions: [{ configurationId: agent.sId }] },
  });
  const messageId = conversation.content[1]?.[0]?.sId ?? "";
  const stream = `/api/sse/v1/w/${workspaceId}/assistant/conversations/${conversation.sId}/messages/${messageId}/events`;
  const startedAt = performance.now();
  const counts = await Promise.all(
    Array.from({ length: FOLLOWERS }, (_, index) => {
      const { url = "" } = fleet.apis[index % fleet.apis.length] ?? {};
      return countFrames(url + stream, adminKey);
    }),
  );
  const events = counts.reduce((sum, count) => sum + count, 0);
  return { events, elapsedMs: performance.now() - startedAt };
}

/** Counts the frames of a stream until it ends; to read them would cost more than to send them. */
function countFrames(url: string, key: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { agent: false, headers: { authorization: `Bearer ${key}` } };
  const request = http.get(url, options, (response) => {
    if (response.statusCode !== 200) reject(new Error(`A stream answered ${response.statusCode}`));
    let count = 0;
    response.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf("data:"); at !== -1; at = chunk.indexOf("data:", at + 5)) count++;
    });
    response.on("end", () => resolve(count));
    response.on("error", reject);
  });
  request.on("error", reject);
  return promise;
}
