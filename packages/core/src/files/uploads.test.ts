import { randomBytes } from "node:crypto";
import { fileChunks, files, serverSecrets } from "@parley/db";
import type { File } from "@parley/schema";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { announceTestFile, readTestAddress } from "../../testing/files.ts";
import { refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { openFile, sweepFiles } from "./files.ts";
import { createSigningKey } from "./upload-urls.ts";
import { type ReadUpload, uploadFile } from "./uploads.ts";

const CHUNK = 256 * 1024;
const HOUR_MS = 3_600_000;

describe("uploads", () => {
  const fileLimits = { fileBytes: 4 * CHUNK };
  const test = workspaceTest({ parts: { fileLimits, workspaceBytes: 10 * CHUNK } });

  const db = () => test.core.database.db;
  const announce = (fileSize: number, by = test.context) => announceTestFile(by, { fileSize });
  const pieces = (...all: Uint8Array[]): ReadUpload =>
    async function* () {
      yield* all;
    };
  const upload = (file: File, read: ReadUpload, by = test.context) =>
    uploadFile(by, readTestAddress(by, file), read);
  const chunksLeft = () => db().$count(fileChunks);
  const readAll = async (file: File): Promise<Buffer> => {
    const opened = await openFile(test.context, { fileId: file.sId });
    return Buffer.concat(await Array.fromAsync(opened.read(0, opened.sizeBytes)));
  };

  it("keeps bytes in chunks, however they come", async () => {
    const bytes = randomBytes(2 * CHUNK + 5);
    const cuts = [0, 1, 100, CHUNK + 50, CHUNK + 51, bytes.length];
    const parts = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
    const file = await announce(bytes.length);
    expect((await upload(file, pieces(...parts))).file.status).toBe("ready");
    const sizes = await db()
      .select({ size: sql<number>`octet_length(${fileChunks.data})` })
      .from(fileChunks)
      .orderBy(fileChunks.position);
    expect(sizes.map(({ size }) => size)).toEqual([CHUNK, CHUNK, 5]);
    expect((await readAll(file)).equals(bytes)).toBe(true);
  });

  it("holds less than a chunk of an upload", async () => {
    let given = 0;
    const file = await announce(4 * CHUNK);
    let ahead = 0;
    await upload(file, async function* () {
      for (; given < 4 * CHUNK; given += 65_536) {
        ahead = Math.max(ahead, given - (await chunksLeft()) * CHUNK);
        yield Buffer.alloc(65_536);
      }
    });
    expect(ahead).toBeLessThanOrEqual(CHUNK);
  });

  it.each([
    { name: "fewer bytes", read: pieces(Buffer.alloc(CHUNK + 99)), says: "has 262243" },
    { name: "more bytes", read: pieces(Buffer.alloc(CHUNK + 101)), says: "has more" },
    { name: "no bytes", read: pieces(), says: "has 0" },
  ])("refuses $name than were announced, and keeps none", async ({ read, says }) => {
    const file = await announce(CHUNK + 100);
    await expect(upload(file, read)).rejects.toThrow(says);
    expect(await chunksLeft()).toBe(0);
    expect(await refusalOf(openFile(test.context, { fileId: file.sId }))).toBe(
      "404 file_not_found",
    );
    await upload(file, pieces(Buffer.alloc(CHUNK + 100, 1)));
    expect(await readAll(file)).toEqual(Buffer.alloc(CHUNK + 100, 1));
  });

  it("asks for no more when there is a byte too many", async () => {
    const file = await announce(10);
    let asked = 0;
    const endless: ReadUpload = async function* () {
      for (;;) yield Buffer.alloc(++asked);
    };
    await expect(upload(file, endless)).rejects.toThrow("has more");
    expect(asked).toBe(5);
  });

  it("keeps nothing of an upload that breaks after its last byte", async () => {
    const file = await announce(CHUNK);
    const broken: ReadUpload = async function* () {
      yield Buffer.alloc(CHUNK);
      throw new Error("cut off");
    };
    await expect(upload(file, broken)).rejects.toThrow("cut off");
    expect(await chunksLeft()).toBe(0);
  });

  it("lets one upload at a time have a file, until it has been silent for too long", async () => {
    const file = await announce(2 * CHUNK);
    const began = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const dead = upload(file, async function* () {
      yield Buffer.alloc(CHUNK, 1);
      began.resolve();
      await goOn.promise;
      yield Buffer.alloc(CHUNK, 1);
    });
    await began.promise;
    const second = () => upload(file, pieces(Buffer.alloc(2 * CHUNK, 2)));
    await expect(second()).rejects.toThrow("uploaded by another request");
    await db()
      .update(files)
      .set({ uploadUntil: new Date(0) });
    await second();
    goOn.resolve();
    await expect(dead).rejects.toThrow("uploaded by another request");
    expect(await readAll(file)).toEqual(Buffer.alloc(2 * CHUNK, 2));
    await expect(second()).rejects.toThrow("has already been uploaded");
  });

  it("stores nothing of a file whose chunks are not what came", async () => {
    const file = await announce(2 * CHUNK);
    const meddled: ReadUpload = async function* () {
      yield Buffer.alloc(2 * CHUNK);
      await db().delete(fileChunks);
    };
    await expect(upload(file, meddled)).rejects.toThrow("The file was deleted");
    expect(await refusalOf(openFile(test.context, { fileId: file.sId }))).toBe(
      "404 file_not_found",
    );
  });

  it("takes no file of another workspace, and no address that is over", async () => {
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const file = await announce(1);
    const bytes = pieces(Buffer.alloc(1));
    const foreign = { ...readTestAddress(test.context, file), wId: other.caller.workspace.sid };
    await expect(uploadFile(other, foreign, bytes)).rejects.toThrow("signature");
    const unknown = await announce(1, other);
    await db().delete(files);
    expect(await refusalOf(upload(unknown, bytes, other))).toBe("404 file_not_found");
    const late = await announce(1);
    test.clock.now += HOUR_MS;
    await expect(upload(late, bytes)).rejects.toThrow("expires: the uploadUrl is no longer valid");
  });

  it("counts what is announced against the quota, also what is announced at once", async () => {
    const refused =
      "The workspace stores 2621440 of at most 2621440 bytes, and this needs 524288 more";
    await expect(announce(4 * CHUNK + 1)).rejects.toThrow(
      "fileSize: must be at most 1048576 bytes",
    );
    const sizes = Array.from({ length: 8 }, () =>
      announce(2 * CHUNK).catch((error: Error) => error.message),
    );
    const results = await Promise.all(sizes);
    const told = results.filter((result) => typeof result === "string");
    expect(told).toHaveLength(3);
    for (const message of told) expect(message).toContain(refused);
    expect(await db().$count(files)).toBe(5);
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core));
    expect((await announce(CHUNK, other)).status).toBe("created");
  });

  it("sweeps what was announced and never came, but nothing that still may", async () => {
    const ready = await announce(CHUNK);
    await upload(ready, pieces(Buffer.alloc(CHUNK)));
    await announce(CHUNK);
    const running = await announce(CHUNK);
    test.clock.now += HOUR_MS - 1;
    expect(await sweepFiles(test.core)).toBe(0);
    await announce(CHUNK);
    let swept = 0;
    const late = upload(running, async function* () {
      test.clock.now += HOUR_MS - 1;
      swept = await sweepFiles(test.core);
      yield Buffer.alloc(CHUNK);
    });
    await late;
    expect(swept).toBe(1);
    expect(await db().$count(files)).toBe(3);
    // A dead process leaves chunks, which go with their file.
    await db()
      .update(files)
      .set({ status: "created", uploadUntil: new Date(0) });
    expect(await sweepFiles(test.core)).toBe(2);
    expect([await db().$count(files), await chunksLeft()]).toEqual([1, 0]);
  });

  it("has one key for signatures, whichever process asks first", async () => {
    await db().delete(serverSecrets);
    const readers = Array.from({ length: 8 }, () => createSigningKey(db()));
    const keys = await Promise.all(readers.map((read) => read()));
    expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
  });
});
