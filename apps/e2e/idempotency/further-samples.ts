import { pathsOf } from "../request.ts";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { knowledgeSamples, type Sample } from "./knowledge-samples.ts";

/** A request to each endpoint that uploads knowledge or starts a summary. */
export const furtherSamples = (server: () => Server): Record<string, () => Promise<Sample>> => ({
  ...knowledgeSamples(server),
  "summaries.create": async () => {
    const { conversation } = await createCalls(server).create("Hello", ["helper"], {
      blocking: true,
    });
    const path = `${pathsOf(server()).conversations}/${conversation.sId}/summaries`;
    // While it is written, or once all has been summarised, there is no other; there is after one that has failed, as one does
    // that is no shorter than what it summarises.
    return {
      request: { path, json: { agentId: "helper" } },
      withoutKey: ["fails", "makes another"],
    };
  },
});
