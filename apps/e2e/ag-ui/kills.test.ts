import { conversationsOf } from "./conversations.ts";
import { expect, test } from "vitest";
import { createPlace, type ServerProcess, startServer } from "../server.ts";
import { openAgent, saidIn, userMessage } from "./agents.ts";

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
      const cut = openAgent(server, run).runAgent(
        { runId: "run" },
        { onTextMessageContentEvent: ({ event }) => begun.resolve(event.delta) },
      );
      const failed = expect(cut).rejects.toThrow(/./);
      const seen = await begun.promise;
      await server.kill();
      await failed;
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
