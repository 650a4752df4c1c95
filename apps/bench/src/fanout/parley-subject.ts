import { fileURLToPath } from "node:url";
import * as z from "zod";
import { makeDirectory, pinToCore, startListening } from "../child-process.ts";
import { askingChild } from "../child-requests.ts";
import type { ScratchDatabase } from "../scratch-database.ts";
import type { FanoutServerRequests, Seed } from "./fanout-server.ts";
import { type FanoutServer, formatFollow, localUrl, SERVER_CORE } from "./subjects.ts";

/** What of an answer to a create says which logs it has made. */
const Created = z.object({
  conversation: z.object({
    sId: z.string(),
    content: z.array(z.array(z.object({ type: z.string(), sId: z.string() }))),
  }),
});

/**
 * The real API, whose publisher appends to the logs of agents' messages. What one process has made
 * is there for the next, also in an embedded database if none is given.
 */
export async function parleyServer(
  resources: AsyncDisposableStack,
  database: ScratchDatabase | undefined,
): Promise<FanoutServer> {
  const directory = await makeDirectory(resources);
  const file = fileURLToPath(new URL("fanout-server.ts", import.meta.url));
  const conversations = new Map<string, string>();
  let seed: Seed | undefined;
  return {
    name: "parley",
    appends: true,
    start: async (lifetime) => {
      const started = await startListening(lifetime, {
        name: "The server",
        argumentsFor: (port) => ["--expose-gc", file, String(port), directory],
        environment: database === undefined ? {} : { DATABASE_URL: database.url },
        messages: true,
      });
      await pinToCore(started.pid, SERVER_CORE);
      const ask = askingChild<FanoutServerRequests>(started);
      const { workspaceId, apiKey, agentIds } = (seed ??= await ask("seed"));
      const route = `/v1/w/${workspaceId}/assistant/conversations`;
      const headers = { Authorization: `Bearer ${apiKey}` };

      const createLogs = async (count: number): Promise<string[]> => {
        const mentions = agentIds.slice(0, count).map((configurationId) => ({ configurationId }));
        const response = await fetch(localUrl(started.port, `/api${route}`), {
          method: "POST",
          headers: { ...headers, "Content-Type": "application/json" },
          body: JSON.stringify({ message: { content: "Who follows?", mentions } }),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`A create got ${response.status}: ${text}`);
        const { conversation } = Created.parse(JSON.parse(text));
        const messages = conversation.content.flat().filter(({ type }) => type === "agent_message");
        for (const { sId } of messages) conversations.set(sId, conversation.sId);
        return messages.map(({ sId }) => sId);
      };

      return {
        pid: started.pid,
        port: started.port,
        backends: database?.backends ?? (async () => []),
        openLogs: async (count) => {
          const logs: string[] = [];
          while (logs.length < count) logs.push(...(await createLogs(count - logs.length)));
          return logs;
        },
        followRequest: (log) => {
          const message = `${conversations.get(log)}/messages/${log}`;
          const url = localUrl(started.port, `/api/sse${route}/${message}/events`);
          return formatFollow(url, headers);
        },
        publish: (plan) => ask("publish", plan),
        collectGarbage: () => ask("collectGarbage"),
      };
    },
  };
}
