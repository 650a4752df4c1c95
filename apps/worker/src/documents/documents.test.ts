import { readdirSync, readFileSync } from "node:fs";
import {
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
  uploadTestFile,
} from "@parley/core/testing";
import { createExtractor } from "@parley/sandbox";
import { encryptedOffice, makePdf, makeZip, pageText } from "@parley/sandbox/testing";
import { findStoredFile, saveFileText } from "@parley/core";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDocuments } from "./create-documents.ts";
import { createDocumentMetrics } from "./document-metrics.ts";
import type { DocumentFile, Documents } from "./documents.ts";

const office = "application/vnd.openxmlformats-officedocument";
const types = {
  pdf: "application/pdf",
  docx: `${office}.wordprocessingml.document`,
  rtf: "text/rtf",
};

describe("the texts of documents", () => {
  let test: TestCore;
  let context: Awaited<ReturnType<typeof openTestContext>>;
  beforeAll(async () => {
    test = await openTestCore();
  });
  afterAll(() => test.close());

  let extractions: number;
  let documents: Documents;
  let registry: Registry;
  beforeEach(async () => {
    context = await openTestContext(test.core, await insertTestWorkspace(test.core));
    extractions = 0;
    documents = create();
  });

  const create = () => {
    const extract = createExtractor();
    registry = new Registry();
    return createDocuments({
      core: test.core,
      metrics: createDocumentMetrics(registry),
      extract: (document) => {
        extractions++;
        return extract(document);
      },
    });
  };
  const upload = async (
    bytes: Uint8Array,
    contentType: string,
    by = context,
    fileName = "report",
  ): Promise<DocumentFile> => {
    const { sId } = await uploadTestFile(by, bytes, { contentType, fileName });
    const workspaceId = by.caller.workspace.id;
    const stored = await findStoredFile(test.core, { workspaceId, fileId: sId });
    if (stored === undefined) throw new Error("It is not stored");
    const { sha256, sizeBytes } = stored;
    return { workspaceId, fileId: sId, sha256, contentType, fileName, sizeBytes };
  };
  const textOf = (file: DocumentFile, signal = new AbortController().signal) =>
    documents.textOf(file, signal);
  const stored = async () => {
    const result = await test.core.database.db.execute(
      `select extractor, sha256 from file_texts where workspace_id = ${context.caller.workspace.id}`,
    );
    // The driver gives the rows there.
    return (result as { rows: { extractor: string; sha256: string }[] }).rows;
  };
  const pdf = () => makePdf([pageText(`Text of ${Math.random()}`)]);

  it("are extracted once for all who ask, and then found", async () => {
    const bytes = pdf();
    const file = await upload(bytes, types.pdf);
    const [one, other] = await Promise.all([textOf(file), textOf(file)]);
    expect(one).toEqual({ text: expect.stringMatching(/^Text of 0\./) as string });
    expect(other).toEqual(one);
    const same = await upload(bytes, types.pdf);
    documents = create();
    expect(await textOf(same)).toEqual(one);
    expect(extractions).toBe(1);
    expect(await stored()).toMatchObject([{ extractor: "pdf-2", sha256: file.sha256 }]);
  });

  it("are extracted by two replicas at once, to one stored text", async () => {
    const file = await upload(pdf(), types.pdf);
    const replica = create();
    const { signal } = new AbortController();
    const answers = await Promise.all([textOf(file), replica.textOf(file, signal)]);
    expect(answers[0]).toEqual(answers[1]);
    expect(extractions).toBe(2);
    expect(await stored()).toHaveLength(1);
  });

  it("come with the number of pages, also where there is no text", async () => {
    const { signal } = new AbortController();
    const scan = await upload(makePdf(["q Q", "q Q"]), types.pdf);
    expect(await documents.pagesOf(scan, signal)).toEqual({ pages: 2 });
    expect(await textOf(scan)).toMatchObject({ failure: "no_text" });
    expect(extractions).toBe(1);
    const cut = await upload(pdf().subarray(0, 300), types.pdf);
    expect(await documents.pagesOf(cut, signal)).toMatchObject({ failure: "damaged" });
    // What an earlier version has stored has no pages.
    const file = await upload(pdf(), types.pdf);
    const { workspaceId, sha256 } = file;
    const old = { text: "Old", failure: null, pages: null };
    await saveFileText(test.core, { workspaceId, sha256, extractor: "pdf-1" }, old);
    expect(await documents.pagesOf(file, signal)).toEqual({ pages: 1 });
  });

  it("are not shared between workspaces", async () => {
    const bytes = pdf();
    const file = await upload(bytes, types.pdf);
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const foreign = await upload(bytes, types.pdf, other);
    expect(foreign.sha256).toBe(file.sha256);
    expect(await textOf(foreign)).toEqual(await textOf(file));
    expect(extractions).toBe(2);
    const { workspaceId } = foreign;
    const message = "report was deleted";
    expect(await textOf({ ...file, workspaceId, sha256: "0" })).toEqual({
      failure: "deleted",
      message,
    });
  });

  it.each([
    [
      "an encrypted document",
      encryptedOffice,
      types.docx,
      "encrypted",
      "is protected by a password",
    ],
    [
      "a scanned PDF",
      () => makePdf(["q Q"]),
      types.pdf,
      "no_text",
      "has no text: its pages are pictures",
    ],
    [
      "a damaged PDF",
      () => pdf().subarray(0, 300),
      types.pdf,
      "damaged",
      "is damaged or incomplete",
    ],
    [
      "another archive",
      async () => makeZip({ "a.txt": "a" }),
      types.docx,
      "wrong_type",
      "is not what its type says: it is a zip archive",
    ],
  ])(
    "are missing for %s by a code and its name, stored too",
    async (_name, make, type, failure, says) => {
      const file = await upload(await make(), type, context, "Q3 plan.x");
      const message = expect.stringMatching(`^Q3 plan\\.x ${says}`) as string;
      for (let times = 0; times < 2; times++)
        expect(await textOf(file)).toEqual({ failure, message });
      expect(extractions).toBe(1);
      expect(await textOf({ ...file, fileName: "other" })).toMatchObject({
        message: expect.stringMatching(/^other (?:is|has) /) as string,
      });
    },
  );

  it("come after a process that was killed, once", async () => {
    const file = await upload(pdf(), types.pdf);
    const killer = killExtractors(1);
    expect(await textOf(file)).toHaveProperty("text");
    expect(killer.stop()).toBe(1);
    expect(extractions).toBe(2);
  });

  it("name a file whose processes are killed again and again, which is tried again later", async () => {
    const file = await upload(pdf(), types.pdf);
    const killer = killExtractors(2);
    expect(await textOf(file)).toEqual({
      failure: "interrupted",
      message: "report could not be read at the moment: try again",
    });
    expect(killer.stop()).toBe(2);
    expect(await stored()).toEqual([]);
    expect(await textOf(file)).toHaveProperty("text");
  });

  it("are no longer waited for by who has gone, and end when nobody waits", async () => {
    const file = await upload(pdf(), types.pdf);
    const abort = new AbortController();
    const gone = textOf(file, abort.signal);
    const left = textOf(file);
    abort.abort(new Error("The run has gone"));
    await expect(gone).rejects.toThrow("The run has gone");
    expect(await left).toHaveProperty("text");
    const other = await upload(pdf(), types.pdf);
    const last = new AbortController();
    const waiting = textOf(other, last.signal);
    await expect.poll(() => extractorsOf(process.pid).length).toBeGreaterThan(0);
    last.abort(new Error("The run has gone"));
    await expect(waiting).rejects.toThrow("The run has gone");
    await expect.poll(() => extractorsOf(process.pid)).toEqual([]);
    expect(await stored()).toHaveLength(1);
  });

  it("of text files and pages are what an upload would give", async () => {
    const xml = await upload(Buffer.from("<a>ä</a>"), "application/xml");
    expect(await textOf(xml)).toEqual({ text: "<a>ä</a>" });
    const page = await upload(Buffer.from("<p>One<p>Two"), "text/html");
    expect(await textOf(page)).toEqual({ text: "One\n\nTwo" });
    expect(extractions).toBe(0);
    expect([documents.hasText("image/png"), documents.hasText("text/csv")]).toEqual([false, true]);
  });

  it("are measured by kind and outcome", async () => {
    await textOf(await upload(Buffer.from("{\\rtf1 x}"), types.rtf));
    expect(await registry.metrics()).toContain(
      'parley_documents_extracted_total{kind="rtf",outcome="text"} 1',
    );
  });
});

/** The processes that extract for another process. */
function extractorsOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readProc(`/proc/${pid}/task/${task}/children`).trim().split(" "),
  );
  return children
    .map(Number)
    .filter((child) => readProc(`/proc/${child}/cmdline`).includes("extract-entry"));
}

/** Kills so many of them, as soon as each begins. */
function killExtractors(count: number): { stop: () => number } {
  const killed = new Set<number>();
  const timer = setInterval(() => {
    for (const pid of extractorsOf(process.pid)) {
      if (killed.size >= count || killed.has(pid)) continue;
      killed.add(pid);
      process.kill(pid, "SIGKILL");
    }
  }, 5);
  return {
    stop: () => {
      clearInterval(timer);
      return killed.size;
    },
  };
}

function readProc(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}
