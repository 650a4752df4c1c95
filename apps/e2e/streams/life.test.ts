import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isNightly } from "@parley/db/testing";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { within } from "../server.ts";
import { type LogServer, startLogServer } from "./start-log-server.ts";

const MIB = 1024 * 1024;
const CYCLES = isNightly ? 3000 : 300;
const AT_ONCE = 50;

/** Asks for a stream on a connection of its own and goes away at one of the moments there are. */
async function connectAndLeave(server: LogServer, path: string, moment: number): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket = net.connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${server.authorization}\r\n\r\n`,
  );
  if (moment % 2 === 0) await once(socket, "data");
  else if (moment % 3 === 0) await sleep(moment % 5);
  if (moment % 4 === 0) socket.resetAndDestroy();
  else socket.destroy();
  await once(socket, "close");
}

async function cycle(server: LogServer, paths: readonly string[], count: number): Promise<void> {
  let started = 0;
  const one = async (): Promise<void> => {
    while (started < count) {
      const moment = started++;
      await connectAndLeave(server, paths[moment % paths.length] ?? "", moment);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Sockets of a server that nobody follows: those of its database's pool. */
const IDLE_SOCKETS = 40;

/** What the process holds once it has noticed that everybody left, or if it never does. */
async function measureIdle(server: LogServer, sockets = IDLE_SOCKETS) {
  for (let looks = 0; looks < 250; looks++) {
    const measured = await server.measure();
    const { hub, resources } = measured;
    if (hub.followers === 0 && (resources["TCPSocketWrap"] ?? 0) <= sockets) return measured;
    await sleep(20);
  }
  return server.measure();
}

describe("a server", () => {
  test(
    `${CYCLES} connections that come and go leave nothing behind`,
    { timeout: 180_000 },
    async () => {
      await using server = await startLogServer();
      const logs = [await server.openLog(), await server.openLog()];
      const paths = logs.map(({ path }) => path);
      await cycle(server, paths, CYCLES / 2);
      const before = await measureIdle(server);
      await cycle(server, paths, CYCLES);
      const after = await measureIdle(server, (before.resources["TCPSocketWrap"] ?? 0) + 10);
      expect(after.hub).toEqual({ logs: 0, followers: 0 });
      for (const [name, count] of Object.entries(after.resources)) {
        // The pool of the database may have grown by some connections.
        expect(count, name).toBeLessThanOrEqual((before.resources[name] ?? 0) + 10);
      }
      expect((after.heapBytes - before.heapBytes) / MIB).toBeLessThan(4);
    },
  );

  test("events are one data line each, byte for byte, whatever text is in them", async () => {
    await using server = await startLogServer();
    const { logId, path } = await server.openLog();
    const texts = ["a\nb\r\nc", "\u2028 \u2029 \u0085", "😀 \u{10FFFF}", "data: x\n\nid: 7\n", ""];
    const response = await server.stream(path);
    for (const text of texts) await server.append({ logId, texts: [text] });
    await server.append({ logId, texts: [], end: true });
    const bytes = Buffer.from(await response.arrayBuffer()).toString("utf8");
    const about = `"created":0,"configurationId":"agent","messageId":"message","step":0`;
    // Line readers of some languages split there.
    const escaped = (text: string) =>
      JSON.stringify(text)
        .replaceAll("\u0085", String.raw`\u0085`)
        .replaceAll("\u2028", String.raw`\u2028`)
        .replaceAll("\u2029", String.raw`\u2029`);
    const events = texts.map(
      (text) =>
        `{"type":"generation_tokens",${about},"text":${escaped(text)},"classification":"tokens"}`,
    );
    events.push(`{"type":"agent_generation_cancelled",${about}}`);
    expect(bytes).toBe(
      events.map((event, index) => `data: {"eventId":"${index + 1}","data":${event}}\n\n`).join(""),
    );
  });

  test("at shutdown streams end one after the other, each where a frame ends", async () => {
    const server = await startLogServer();
    const { logId, path } = await server.openLog();
    await server.append({ logId, texts: ["x"] });
    const streams = await Promise.all(Array.from({ length: 50 }, () => server.stream(path)));
    const ends = streams.map(async (stream) => {
      const frames = await Array.fromAsync(readFrames(stream));
      return { at: performance.now(), count: frames.length };
    });
    const closed = server.close({ gracePeriodMs: 400 });
    const ended = await within(10_000, Promise.all(ends));
    await closed;
    const times = ended.map(({ at }) => at).toSorted((a, b) => a - b);
    expect(ended.map(({ count }) => count)).toEqual(ended.map(() => 1));
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(200);
    await server[Symbol.asyncDispose]();
  });
});
