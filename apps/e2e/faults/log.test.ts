import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { createPlace, eventually, type Server, startServer } from "../server.ts";
import { canMount, fill, mountDisk } from "./small-disk.ts";

// A server whose log takes nothing serves as usual.

const SETTINGS = { PARLEY_LOG_LEVEL: "info", PARLEY_RATE_READ_PER_MINUTE: "0" };
/** Their lines are more than a pipe has room for. */
const CALLS = 250;

const create = (server: Server) =>
  send(server, {
    path: pathsOf(server).conversations,
    json: { message: { content: "Hello", mentions: [] } },
  });

/** Expects that what is committed is answered, more often than a pipe has room for lines. */
async function expectServes(server: Server): Promise<void> {
  for (let call = 0; call < 10; call++) expect((await create(server)).status).toBe(200);
  const lists = Array.from({ length: CALLS }, () =>
    send(server, { path: pathsOf(server).conversations }),
  );
  for (const { status } of await Promise.all(lists)) expect(status).toBe(200);
  expect((await create(server)).status).toBe(200);
}

/** A pipe with a name, for a program to print to. */
async function makePipe() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-pipe-"));
  const pipe = path.join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, "w");
  return {
    reader,
    writer,
    [Symbol.asyncDispose]: async () => {
      closeSync(writer);
      await rm(folder, { recursive: true });
    },
  };
}

describe.skipIf(process.platform !== "linux")("a log", { timeout: 120_000 }, () => {
  test("on a disk that is full from the start ends no request and no start", async () => {
    const log = openSync("/dev/full", "w");
    await using place = await createPlace();
    for (const _ of ["first", "again"]) {
      const server = await startServer(place, SETTINGS, { log });
      await expectServes(server);
      await server.kill();
    }
    closeSync(log);
  });

  test("that nobody reads holds no request up", async () => {
    await using pipe = await makePipe();
    await using place = await createPlace();
    await using server = await startServer(place, SETTINGS, { log: pipe.writer });
    await expectServes(server);
    closeSync(pipe.reader);
  });

  test("whose reader leaves ends no request and no start", async () => {
    await using pipe = await makePipe();
    await using place = await createPlace();
    const server = await startServer(place, SETTINGS, { log: pipe.writer });
    closeSync(pipe.reader);
    await expectServes(server);
    await server.kill();
    await using again = await startServer(place, SETTINGS, { log: pipe.writer });
    await expectServes(again);
  });

  if (!canMount)
    console.info("Skipped, because nothing can be mounted: a log on a disk that fills");
  test.skipIf(!canMount)("on a disk that fills has all lines once there is room", async () => {
    await using disk = await mountDisk("1m");
    const file = path.join(disk.path, "log");
    const log = openSync(file, "a");
    await using place = await createPlace();
    const server = await startServer(place, SETTINGS, { log });
    await fill(disk);
    const isFullAt = (await stat(file)).size;
    await expectServes(server);
    expect((await stat(file)).size - isFullAt).toBeLessThan(8192);
    const last = await create(server);
    await rm(path.join(disk.path, "filler"));
    const requestId = last.headers.get("x-request-id")!;
    const text = await eventually(async () => {
      const read = await readFile(file, "utf8");
      return read.includes(requestId) && read.endsWith("\n") ? { value: read } : {};
    }, 10_000);
    const lines = text.split("\n").filter((line) => line.startsWith("{"));
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(lines.length).toBeGreaterThan(CALLS);
    await server.kill();
    closeSync(log);
  });
});
