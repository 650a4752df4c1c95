import { afterAll, describe, expect, it } from "vitest";
import { createThreads } from "../untrusted/threads.ts";
import { cutText, extractText, FILE_TEXT_BYTES } from "./file-text.ts";

const threads = createThreads();
afterAll(() => threads.close());
const extract = (contentType: string, content: string | Uint8Array, sizeBytes?: number) => {
  const beginning = Buffer.from(content);
  const file = { beginning, contentType, sizeBytes: sizeBytes ?? beginning.length };
  return extractText(threads, file, { workspaceId: 1, origin: "request" });
};

describe("extractText", async () => {
  it.each([
    { contentType: "text/plain", content: "a\r\nb €", text: "a\r\nb €" },
    { contentType: "Text/Markdown; charset=utf-8", content: "# a", text: "# a" },
    { contentType: "text/csv", content: "a,b\n1,2", text: "a,b\n1,2" },
    { contentType: "application/json", content: '{"a": 1}', text: '{"a": 1}' },
    { contentType: "text/plain", content: "\uFEFFa", text: "a" },
    { contentType: "text/plain", content: "a\u0000b", text: "ab" },
    { contentType: "text/plain", content: Buffer.from([97, 0xff, 98]), text: "a\uFFFDb" },
    { contentType: "text/plain; charset=latin1", content: Buffer.from([0xe9]), text: "é" },
    { contentType: 'text/plain; charset="UTF-16LE"', content: Buffer.from([97, 0]), text: "a" },
    { contentType: "text/plain; charset=klingon", content: "é", text: "é" },
    { contentType: "application/pdf", content: "%PDF", text: null },
    { contentType: "image/png", content: "x", text: null },
  ])("gives of $contentType what is written in it", async ({ contentType, content, text }) => {
    expect(await extract(contentType, content)).toBe(text);
  });

  it("gives of a page what a reader sees", async () => {
    const page = `<!doctype html><title>Tab</title><style>p { color: red }</style>
      <script>alert("x")</script><body><h1>Ada</h1><p>One &amp; <b>two</b></p><!-- hidden -->
      <ul><li>first</li></ul><img src="data:x" alt="picture"></body>`;
    const text = await extract("text/html; charset=utf-8", page);
    for (const seen of [/ada/i, /One & two/, /first/]) expect(text).toMatch(seen);
    for (const hidden of ["color", "alert", "hidden", "<", "data:"]) {
      expect(text).not.toContain(hidden);
    }
  });

  it("gives the beginning of what is long, and says so", async () => {
    const long = "é".repeat(FILE_TEXT_BYTES);
    const text = (await extract("text/plain", `x${long}`)) ?? "";
    // The cut goes through the middle of a character.
    expect(text.startsWith(`x${"é".repeat(FILE_TEXT_BYTES / 2 - 1)}\n[The file continues`)).toBe(
      true,
    );
    expect(text).toContain(`${FILE_TEXT_BYTES} of ${2 * FILE_TEXT_BYTES + 1}`);
    expect(await extract("text/html", `<p>${long}</p>`)).toContain("[The file continues");
    expect(await extract("text/plain", "x".repeat(FILE_TEXT_BYTES))).toBe(
      "x".repeat(FILE_TEXT_BYTES),
    );
  });

  it.each([
    { name: "a hundred thousand open elements", page: "<b>".repeat(100_000) },
    { name: "nested tables", page: "<table><tr><td>".repeat(8000) },
    { name: "nested lists", page: "<ul><li>".repeat(16_000) },
    { name: "an open comment", page: `<!--${"<!--".repeat(30_000)}` },
    { name: "open attributes", page: `<a ${'x="'.repeat(40_000)}` },
    { name: "many paragraphs", page: "<p>x".repeat(30_000) },
    { name: "a table of many cells", page: `<table>${"<tr><td>a<td>b".repeat(9000)}</table>` },
  ])("takes no time for $name", async ({ page }) => {
    const before = process.cpuUsage();
    expect(await extract("text/html", page)).toBeTypeOf("string");
    // Of the processor, with the thread's: other work keeps a busy machine from it.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

describe("cutText", () => {
  it("leaves what fits as it is, and cuts no character in two", () => {
    const fits = "x".repeat(FILE_TEXT_BYTES);
    expect(cutText(fits)).toBe(fits);
    const cut = cutText(`${fits.slice(1)}😀`);
    expect(cut.isWellFormed()).toBe(true);
    expect(cut).toContain("[The file continues");
  });
});
