import { CreatedConversation } from "@parley/schema";
import { agentMessages } from "parley-client";
import { expect, test } from "vitest";
import { jsonOf, pathsOf, send } from "../request.ts";
import { createPlace, type ServerProcess, startServer } from "../server.ts";
import { follow, followThrough } from "./follow.ts";

test.for(["long-poll", "sse"] as const)(
  "with live %s, a reader goes on with the same events after the server was killed",
  { timeout: 120_000 },
  async (live) => {
    await using place = await createPlace();
    const settings = { PARLEY_LEASE_MS: "500" };
    let server: ServerProcess = await startServer(place, settings);
    try {
      const json = { message: { content: "Hi é😀", mentions: [{ configurationId: "slowpoke" }] } };
      const request = { path: pathsOf(server).conversations, json };
      const { conversation } = jsonOf(await send(server, request), CreatedConversation).parsed;
      const mId = agentMessages(conversation)[0]?.sId;
      const path = `${request.path}/${conversation.sId}/messages/${mId}/stream`;
      const authorization = `Bearer ${server.demo.adminKey}`;
      const begun = Promise.withResolvers<void>();
      const again = Promise.withResolvers<void>();
      let url = server.url + path;
      const reading = (async () => {
        const first: string[] = [];
        let offset = "-1";
        const cut = follow({
          url,
          authorization,
          live,
          onBatch: (items, next) => {
            first.push(...items.map((item) => JSON.stringify(item)));
            offset = next;
            if (first.length > 0) begun.resolve();
          },
        });
        await expect(cut).rejects.toThrow(/./);
        await again.promise;
        const rest = await followThrough({ url: () => url, authorization, live, offset });
        return { first, rest };
      })();
      await begun.promise;
      await server.kill();
      server = await startServer(place, settings);
      url = server.url + path;
      again.resolve();
      const { first, rest } = await reading;
      expect(first.length).toBeGreaterThan(0);
      expect(rest.length).toBeGreaterThan(0);
      const whole = await follow({ url, authorization, live: false });
      expect([...first, ...rest]).toEqual(whole);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  },
);
