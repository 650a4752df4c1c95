import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileNameOf, hostileDocuments, makePdf } from "../../testing/index.ts";
import { peakOfDescendants } from "../../testing/peak-memory.ts";
import { createExtractor } from "../extract/create-extractor.ts";

// Documents that want too much, each with how it ends, under a ceiling of memory and beside others who want answers.

const writer = path.join(import.meta.dirname, "../../testing/write-hostile-documents.ts");
const CEILING_BYTES = 640 * 1_048_576;
const BYSTANDER_P99_MS = 100;

/** How each of them ends. */
const endings: Readonly<Record<string, object>> = {
  "a part of 400 MB": { failure: "too_complex" },
  "an attribute of 200 MB": expect.anything() as object,
  "4 million elements in each other": { failure: "too_complex" },
  "a text of 200 MB": { text: expect.stringMatching(/^a{131072}\n\[The file continues/) as string },
  "shared texts of 40 MB": { failure: "too_complex" },
  "60,000 parts": { failure: "too_complex" },
  "entities of entities": { text: "&e10; end\n\nA note." },
  "a page of 1 GB in two filters": { failure: "too_complex", pages: 1 },
  "pages of 200 MB": expect.anything() as object,
  "a page of 8 MB that draws nothing": expect.anything() as object,
  "a page of 8 MB of text": {
    text: expect.stringContaining("The file continues") as string,
    pages: 1,
  },
  "10,000 pages": { failure: "too_many_pages", pages: 10_000 },
  "3,000 pages": { text: expect.stringMatching(/^A page of a report/) as string, pages: 3_000 },
  "pages that are their own parents": { failure: "damaged", pages: 1 },
  "a form that draws itself": expect.anything() as object,
  "8 MB of groups": { text: expect.stringContaining("The file continues") as string },
  "8 MB of hidden groups": { failure: "no_text" },
  "8 MB of words without a number": expect.anything() as object,
};

describe.runIf(process.platform === "linux")("a hostile document", () => {
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    // In another process: what making them leaves behind would make each fork of this one slow.
    folder = await mkdtemp(path.join(tmpdir(), "parley-documents-"));
    await promisify(execFile)(process.execPath, [writer, folder]);
    server = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  const ask = async (): Promise<void> => {
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(get({ port, agent: false }), "response")) as [IncomingMessage];
    await text(response);
  };
  /** How long a bystander waits for answers of this process, meanwhile. */
  const besideBystander = async <T>(run: () => Promise<T>) => {
    const waitsMs: number[] = [];
    const running = run();
    let isOver = false;
    void running.finally(() => (isOver = true)).catch(() => {});
    while (!isOver) {
      const startedAt = performance.now();
      await ask();
      waitsMs.push(performance.now() - startedAt);
      await sleep(5);
    }
    const sorted = waitsMs.toSorted((one, other) => one - other);
    return { result: await running, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
  };

  it.each([...hostileDocuments.entries()].map(([index, one]) => ({ index, ...one })))(
    "with $name ends, and takes nothing from others",
    async ({ index, name, kind }) => {
      const document = await readFile(path.join(folder, fileNameOf(index)));
      const pieces = async function* () {
        for (let at = 0; at < document.length; at += 262_144)
          yield document.subarray(at, at + 262_144);
      };
      const extract = createExtractor();
      const { signal } = new AbortController();
      const ran = await besideBystander(() =>
        peakOfDescendants(() => extract({ workspaceId: 1, kind, bytes: pieces(), signal })),
      );
      const { result, bytes } = ran.result;
      expect(result).toEqual(endings[name]);
      expect(bytes).toBeLessThan(CEILING_BYTES);
      expect(ran.p99Ms).toBeLessThan(BYSTANDER_P99_MS);
    },
    120_000,
  );

  it("does not keep a second workspace from its text", async () => {
    const extract = createExtractor();
    const abort = new AbortController();
    const slow = makePdf(["q Q 1 0 0 1 0 0 cm\n".repeat(400_000)]);
    const bytesOf = async function* (bytes: Uint8Array) {
      yield bytes;
    };
    const flood = Array.from({ length: 10 }, () =>
      extract({ workspaceId: 1, kind: "pdf", bytes: bytesOf(slow), signal: abort.signal }),
    );
    const settled = Promise.allSettled(flood);
    const small = bytesOf(Buffer.from("{\\rtf1 hello}"));
    const { signal } = new AbortController();
    const startedAt = performance.now();
    const answer = await extract({ workspaceId: 2, kind: "rtf", bytes: small, signal });
    expect(answer).toEqual({ text: "hello" });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    abort.abort(new Error("enough"));
    expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
  }, 120_000);
});
