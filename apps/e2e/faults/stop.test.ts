import { setTimeout as sleep } from "node:timers/promises";
import { CreatedConversation, InvokedSandboxFunction } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { jsonOf, open, pathsOf, send } from "../request.ts";
import { createPlace, databases, startServer, within } from "../server.ts";
import { askUntilGone } from "./stop-under-load.ts";
import { expectSoundState, openDatabase } from "./stored-state.ts";

// A server that is asked to stop answers what it was asked, lets go of streams, and ends.

describe.each(databases)("a server $name", ({ isEmbedded }) => {
  test(
    "Ctrl-C answers who waits, ends streams, and exits 0 within 10 s",
    { timeout: 60_000 },
    async () => {
      await using place = await createPlace({ isEmbedded });
      const server = await startServer(place);
      const { adminKey, userKey, operatorKey, workspaceId, functions } = server.demo;
      const { conversations, invocations, events } = pathsOf(server);

      const path = invocations("slow-steps");
      const request = { path, json: {}, headers: { prefer: "respond-async" } };
      const invoked = jsonOf(await send(server, request), InvokedSandboxFunction, 201);
      const stream = events("slow-steps", invoked.parsed.invocation.sId);
      const sse = `${stream.replace("/api/", "/api/sse/")}?include=log,progress`;
      const streams = await Promise.all([1, 2, 3].map(() => open(server, { path: sse })));
      expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
      const followers = streams.map((response) => Array.fromAsync(readFrames(response)));

      const mentions = [{ configurationId: "slowpoke" }];
      const json = { message: { content: "Stop?", mentions }, blocking: true };
      const waiting = send(server, { path: conversations, json });
      const outcome = send(server, { path: invocations("slow-steps"), json: {} });
      // What comes on the same connections later is answered later: both have begun by then.
      await Promise.all([1, 2, 3, 4].map(() => send(server, { path: "/livez" })));
      await sleep(50);

      const stoppedAt = performance.now();
      server.signal("SIGINT");
      const { parsed } = jsonOf(await within(10_000, waiting), CreatedConversation);
      const [, [answer] = []] = parsed.conversation.content;
      expect(answer).toMatchObject({ type: "agent_message", status: "created" });
      expect(performance.now() - stoppedAt).toBeLessThan(2000);
      expect((await within(10_000, outcome)).status).toBe(201);
      for (const frames of await within(10_000, Promise.all(followers))) {
        expect(frames[0]?.data["type"]).toBe("sandbox_function_invocation_created");
      }
      expect(await within(10_000, server.exited)).toBe(0);
      expect(performance.now() - stoppedAt).toBeLessThan(10_000);
      expect(server.output.stderr).not.toContain('"level":50');
      await expect(send(server, { path: "/livez" })).rejects.toThrow("fetch failed");

      {
        await using next = await startServer(place);
        expect(next.demo).toMatchObject({ adminKey, userKey, operatorKey, workspaceId, functions });
        expect((await send(next, { path: pathsOf(next).skills })).status).toBe(200);
        const resumed = await send(next, { path: sse });
        expect(resumed.text).toMatch(/"type":"sandbox_function_invocation_(?:result|error)"/);
      }
      const database = await openDatabase(place);
      try {
        await expectSoundState(database, new Set([parsed.conversation.sId]));
      } finally {
        await database.close();
      }
    },
  );
});

test("no request that comes while a server stops is reset", { timeout: 240_000 }, async () => {
  await using place = await createPlace();
  const off = "0";
  const settings = {
    PARLEY_RATE_CREATE_PER_MINUTE: off,
    PARLEY_RATE_CREATE_PER_HOUR: off,
    PARLEY_RATE_READ_PER_MINUTE: off,
  };
  const broken: string[] = [];
  for (let stop = 0; stop < 6; stop++) {
    const server = await startServer(place, settings);
    const { conversations, skills } = pathsOf(server);
    const body = JSON.stringify({ message: { content: "x", mentions: [] } });
    const requests = [{ path: conversations, body }, { path: skills }, { path: "/livez" }];
    const asking = askUntilGone(server, requests, () => server.signal("SIGTERM"));
    broken.push(...(await within(30_000, asking)).broken);
    expect(await within(10_000, server.exited)).toBe(0);
  }
  expect(broken).toEqual([]);
});

test("a second Ctrl-C does not wait", { timeout: 60_000 }, async () => {
  await using place = await createPlace({ isEmbedded: true });
  const server = await startServer(place);
  const mentions = [{ configurationId: "slowpoke" }];
  const json = { message: { content: "x", mentions } };
  expect((await send(server, { path: pathsOf(server).conversations, json })).status).toBe(200);
  server.signal("SIGINT");
  await expect.poll(() => send(server, { path: "/livez" }).catch(() => "gone")).toBe("gone");
  server.signal("SIGINT");
  expect(await within(1000, server.exited)).toBe(1);
});
