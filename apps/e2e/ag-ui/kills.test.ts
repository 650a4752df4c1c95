import { expect, test } from "vitest";
import { createPlace, type ServerProcess, startServer } from "../server.ts";
import { openAgent, saidIn, userMessage } from "./agents.ts";
import { conversationsOf } from "./conversations.ts";

test(
  "a run is sent again after the server was killed, and was asked once",
  { timeout: 90_000 },
  async () => {
    await using place = await createPlace();
    const settings = { PARLEY_LEASE_MS: "500" };
    let server: ServerProcess = await startServer(place, settings);
    try {
      const run = { sId: "slowpoke", threadId: "thread", messages: [userMessage("Hi é😀")] };
      const begun = Promise.withResolvers<string>();
      const agent = openAgent(server, run);
      agent.fetch = async (url, init) => abortedWhenCut(await fetch(url, init));
      const cut = agent.runAgent(
        { runId: "run" },
        { onTextMessageContentEvent: ({ event }) => begun.resolve(event.delta) },
      );
      const seen = await begun.promise;
      await server.kill();
      // As the client tells it: that it was aborted.
      await cut.catch(() => undefined);
      server = await startServer(place, settings);
      const { newMessages } = await openAgent(server, run).runAgent({ runId: "run" });
      const said = saidIn(newMessages);
      expect(said.startsWith(seen)).toBe(true);
      const [conversation, ...others] = await conversationsOf(server);
      expect(others).toEqual([]);
      expect(conversation).toMatchObject([
        { type: "user_message", content: "Hi é😀" },
        { type: "agent_message", status: "succeeded", content: said },
      ]);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  },
);

/**
 * A response whose broken connection is an abort: at any other error, the client also throws as an unhandled
 * rejection.
 */
function abortedWhenCut({ body, status, headers }: Response): Response {
  const reader = body?.getReader();
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const read = await reader?.read();
        if (read?.value === undefined) controller.close();
        else controller.enqueue(read.value);
      } catch {
        controller.error(new DOMException("The connection was cut", "AbortError"));
      }
    },
  });
  return new Response(stream, { status, headers });
}
