import { connect, type Socket } from "node:net";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { createPlace, type Server, startServer } from "../server.ts";

const MIB = 1024 * 1024;
const MESSAGES = 12;
/** Without a bound each would hold 4 MiB or more. */
const READERS = 300;
const MAX_GROWTH_BYTES = 350 * MIB;
const WATCH_MS = 8000;

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Creates a conversation of `MESSAGES` MiB, and gives its path. */
async function createLarge(server: Server): Promise<string> {
  const { conversations } = pathsOf(server);
  const json = { message: { content: "First", mentions: [] } };
  const created = await send(server, { path: conversations, json });
  const { conversation } = JSON.parse(created.text) as { conversation: { sId: string } };
  const path = `${conversations}/${conversation.sId}`;
  const content = "x".repeat(MIB);
  for (let sent = 0; sent < MESSAGES; sent++) {
    const posted = await send(server, {
      path: `${path}/messages`,
      json: { content, mentions: [] },
    });
    expect(posted.status).toBe(200);
  }
  return path;
}

/** Asks for a path, and reads the head of the response at most. */
function askWithoutReading({ url, demo }: Server, path: string): Socket {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  socket.on("error", () => {});
  socket.once("data", () => socket.pause());
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: parley.test\r\nAuthorization: Bearer ${demo.adminKey}\r\n\r\n`,
  );
  return socket;
}

/** A paused socket notices a reset only when it is written to or read. */
async function openAfterReading(sockets: readonly Socket[]): Promise<number> {
  const closed = await Promise.all(
    sockets.map(async (socket) => {
      let failed = false;
      socket.once("error", () => (failed = true));
      socket.write("GET");
      await sleep(20);
      socket.write(" /");
      await sleep(20);
      return failed || socket.destroyed;
    }),
  );
  return closed.filter((one) => !one).length;
}

test(
  "300 clients that ask for a large conversation and do not read cost a server little memory",
  { timeout: 180_000 },
  async () => {
    await using place = await createPlace();
    // A process of its own, whose memory is read.
    await using server = await startServer(place);
    const path = await createLarge(server);
    const whole = (await send(server, { path })).text.length;
    const before = await residentBytes(server.pid);
    const sockets = Array.from({ length: READERS }, () => askWithoutReading(server, path));
    try {
      const until = performance.now() + WATCH_MS;
      let peakBytes = 0;
      while (performance.now() < until) {
        peakBytes = Math.max(peakBytes, (await residentBytes(server.pid)) - before);
        await sleep(50);
      }
      // Meanwhile, clients that read get everything, with the same key as those that do not.
      const read = await send(server, { path });
      expect([read.status, read.text.length]).toEqual([200, whole]);
      // The key has a quarter of the budget, 64 MiB: those that hold more than that together are reset.
      expect(await openAfterReading(sockets)).toBeLessThan(READERS);
      expect(peakBytes).toBeLessThan(MAX_GROWTH_BYTES);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
);
