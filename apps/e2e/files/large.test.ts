import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createPlace, eventually, type ServerProcess, startServer, within } from "../server.ts";
import { createFileCalls } from "./calls.ts";

const MEBIBYTE = 2 ** 20;
const SIZE = 50 * MEBIBYTE;
const announcement = { contentType: "application/octet-stream", fileName: "large.bin" };

// On PostgreSQL, where the memory of the process is not the database's too.

async function residentBytes({ pid }: ServerProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** The most that a server's memory grows while something is done. */
async function growthDuring(server: ServerProcess, work: Promise<unknown>): Promise<number> {
  const before = await residentBytes(server);
  let peak = before;
  let done = false;
  void work.finally(() => (done = true)).catch(() => {});
  while (!done) {
    peak = Math.max(peak, await residentBytes(server));
    await sleep(20);
  }
  await work;
  return peak - before;
}

/** Asks for a file and reads nothing but the head of the answer. */
async function stall(server: ServerProcess, path: string): Promise<net.Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = net.connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.demo.userKey}\r\n\r\n`,
  );
  await once(socket, "readable");
  return socket;
}

test("large files go through without being held in memory", async () => {
  await using place = await createPlace();
  // A process of its own, whose memory is read.
  await using server = await startServer(place, { PARLEY_TRANSFER_IDLE_MS: "3000" });
  const { announce, path, post, target, formOf, read } = createFileCalls(() => server);
  const bytes = randomBytes(SIZE);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const files = await Promise.all(
    [1, 2, 3].map(() => announce({ ...announcement, fileSize: SIZE })),
  );
  // What the first requests of a server cost it is not the files'.
  await read("fil_unknown");

  const uploads = files.map((file) => post(target(file), formOf(bytes, file)));
  const whileUploading = await growthDuring(server, Promise.all(uploads));
  expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([200, 200, 200]);

  const downloads = files.map(async ({ sId }) => {
    const hash = createHash("sha256");
    for await (const data of (await read(sId)).body ?? []) hash.update(data);
    return hash.digest("hex");
  });
  expect(await Promise.all(downloads)).toEqual([digest, digest, digest]);

  // Readers that take nothing are cut off, and in the meantime nothing piles up for them.
  const reads = () => server.output.stderr.match(/"Read the bytes of a file"/g)?.length ?? 0;
  const haveEnded = (count: number) =>
    eventually(async () => (reads() === count ? { value: true } : {}), 20_000);
  // The one of an unknown file is among them.
  await haveEnded(4);
  const sockets = await Promise.all(files.map(({ sId }) => stall(server, `${path()}/${sId}`)));
  const whileStalled = await growthDuring(server, haveEnded(7));
  for (const socket of sockets) {
    let received = 0;
    socket.on("data", (data: Buffer) => (received += data.length));
    const isClosed = new Promise((resolve) => socket.once("close", resolve));
    if (!socket.closed) await within(5000, isClosed);
    expect(received).toBeLessThan(SIZE);
  }

  // Held in memory, it would be 150; what passes through leaves some garbage.
  expect(whileUploading / MEBIBYTE).toBeLessThan(120);
  expect(whileStalled / MEBIBYTE).toBeLessThan(120);
});
