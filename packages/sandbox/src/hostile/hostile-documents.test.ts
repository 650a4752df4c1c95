import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { DocumentKind } from "@parley/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bombStream,
  docxFiles,
  makePdf,
  makeZip,
  makeZipBomb,
  pageText,
  paragraph,
  streamOf,
  xlsxFiles,
} from "../../testing/index.ts";
import { peakOfDescendants } from "../../testing/peak-memory.ts";
import { createExtractor } from "../extract/create-extractor.ts";

// Documents that want too much, each with how it ends, under a ceiling of memory and beside others who want answers.

const CEILING_BYTES = 640 * 1_048_576;
const BYSTANDER_P99_MS = 100;
const MEGABYTE = 1_048_576;

type Making = () => Uint8Array | Promise<Uint8Array>;

const spaces = Buffer.alloc(MEGABYTE, 0x20);
const repeat = (part: string, bytes: number): string => part.repeat(Math.ceil(bytes / part.length));
const body = "<w:document><w:body>";
const docxBomb = (start: string, megabyte: Uint8Array, megabytes: number) =>
  makeZipBomb(docxFiles(""), {
    path: "word/document.xml",
    start: body + start,
    megabyte,
    megabytes,
    end: "</w:body></w:document>",
  });

const corpus: [string, DocumentKind, Making, object][] = [
  ["a part of 400 MB", "docx", () => docxBomb("", spaces, 400), { failure: "too_complex" }],
  [
    "an attribute of 200 MB",
    "docx",
    () => docxBomb('<w:p x="', spaces, 200),
    expect.anything() as object,
  ],
  [
    "4 million elements in each other",
    "docx",
    () => docxBomb("", Buffer.from(repeat("<w:p>", MEGABYTE)), 20),
    { failure: "too_complex" },
  ],
  [
    "a text of 200 MB",
    "docx",
    () => docxBomb("<w:p><w:r><w:t>", Buffer.alloc(MEGABYTE, 0x61), 200),
    { text: expect.stringMatching(/^a{131072}\n\[The file continues/) as string },
  ],
  [
    "shared texts of 40 MB",
    "xlsx",
    () => {
      const path = "xl/sharedStrings.xml";
      const megabyte = Buffer.alloc(MEGABYTE, 0x61);
      return makeZipBomb(xlsxFiles({ A: "" }), {
        path,
        start: "<sst><si><t>",
        megabyte,
        megabytes: 40,
        end: "",
      });
    },
    { failure: "too_complex" },
  ],
  [
    "60,000 parts",
    "docx",
    () =>
      makeZip(
        Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [String(index), ""])),
      ),
    { failure: "too_complex" },
  ],
  [
    "entities of entities",
    "docx",
    () => {
      const entities = Array.from(
        { length: 10 },
        (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
      );
      const files = docxFiles(paragraph("&e10; end"));
      const dtd = `<!DOCTYPE x [<!ENTITY e0 "lol">${entities.join("")}]>`;
      return makeZip({ ...files, "word/document.xml": dtd + files["word/document.xml"] });
    },
    { text: "&e10; end\n\nA note." },
  ],
  [
    "a page of 1 GB in two filters",
    "pdf",
    async () => makePdf([await bombStream(1024, 2)]),
    { failure: "too_complex" },
  ],
  [
    "pages of 200 MB",
    "pdf",
    async () => makePdf([await bombStream(100), await bombStream(100), pageText("x")]),
    expect.anything() as object,
  ],
  [
    "a page of 8 MB that draws nothing",
    "pdf",
    () => makePdf([repeat("q Q 1 0 0 1 0 0 cm\n", 8 * MEGABYTE)]),
    expect.anything() as object,
  ],
  [
    "a page of 8 MB of text",
    "pdf",
    () => makePdf([repeat(`${pageText("ab")}\n`, 8 * MEGABYTE)]),
    { text: expect.stringContaining("The file continues") as string },
  ],
  [
    "10,000 pages",
    "pdf",
    () => makePdf(Array<string>(10_000).fill(pageText("x"))),
    { failure: "too_many_pages" },
  ],
  [
    "3,000 pages",
    "pdf",
    () => makePdf(Array<string>(3000).fill(pageText("A page of a report"))),
    { text: expect.stringMatching(/^A page of a report/) as string },
  ],
  ["pages that are their own parents", "pdf", () => cyclicPdf(), { failure: "damaged" }],
  ["a form that draws itself", "pdf", () => recursivePdf(), expect.anything() as object],
  [
    "8 MB of groups",
    "rtf",
    () => Buffer.from(`{\\rtf1 ${repeat("{\\b a}", 8 * MEGABYTE)}}`),
    { text: expect.stringContaining("The file continues") as string },
  ],
  [
    "8 MB of hidden groups",
    "rtf",
    () => Buffer.from(`{\\rtf1 ${repeat("{\\*\\x a}", 8 * MEGABYTE)}}`),
    { failure: "no_text" },
  ],
  [
    "8 MB of words without a number",
    "rtf",
    () => Buffer.from(`{\\rtf1 ${repeat("\\bin-1\\u99999999999\\'zz", 8 * MEGABYTE)}}`),
    expect.anything() as object,
  ],
];

function cyclicPdf(): Buffer {
  return Buffer.from(
    makePdf([pageText("x")])
      .toString("latin1")
      .replace("/Kids [4 0 R]", "/Kids [2 0 R]"),
    "latin1",
  );
}

function recursivePdf(): Buffer {
  const content = streamOf(
    Buffer.from("/F Do /F Do"),
    "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >>",
  );
  const pdf = makePdf([content]).toString("latin1");
  return Buffer.from(pdf.replace("/Font << /F1 3 0 R >>", "/XObject << /F 5 0 R >> "), "latin1");
}

describe.runIf(process.platform === "linux")("a hostile document", () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => server.close());

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

  it.each(corpus)(
    "with %s ends, and takes nothing from others",
    async (_name, kind, make, expected) => {
      const document = await make();
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
      expect(result).toEqual(expected);
      expect(bytes).toBeLessThan(CEILING_BYTES);
      expect(ran.p99Ms).toBeLessThan(BYSTANDER_P99_MS);
    },
    120_000,
  );

  it("does not keep a second workspace from its text", async () => {
    const extract = createExtractor();
    const abort = new AbortController();
    const slow = makePdf([repeat("q Q 1 0 0 1 0 0 cm\n", 8 * MEGABYTE)]);
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
