import { pathsOf } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { knowledgeSamples, type Sample } from "./knowledge-samples.ts";

/** A request to each endpoint that uploads knowledge or starts a summary. */
export const furtherSamples = (server: () => Server): Record<string, () => Promise<Sample>> => ({
  ...knowledgeSamples(server),
  "agents.try": async () => {
    const path = `${pathsOf(server()).workspace}/assistant/agent_configurations/try`;
    return { request: { path, json: { agentId: "helper", message: { content: "Hello" } } } };
  },
  "summaries.create": async () => {
    const { conversation } = await createCalls(server).create("Hello", ["helper"], {
      blocking: true,
    });
    const path = `${pathsOf(server()).conversations}/${conversation.sId}/summaries`;
    // It has failed when it is answered, being no shorter than what it summarises: so there may be another.
    return { request: { path, json: { agentId: "helper", blocking: true } } };
  },
});
