import type { DocumentKind } from "@parley/schema";
import { describe, expect, it } from "vitest";
import {
  bombStream,
  docxFiles,
  encryptedOffice,
  makeJapanesePdf,
  makePdf,
  makeZip,
  pageText,
  paragraph,
  pptxFiles,
  streamOf,
  xlsxFiles,
} from "../../testing/index.ts";
import { extractDocument, type ExtractionLimits } from "./extract-document.ts";

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const extract = (kind: DocumentKind, bytes: Uint8Array, limits: Partial<ExtractionLimits> = {}) =>
  extractDocument({ kind, bytes: pieces(bytes) }, limits);

describe("the text of a document", () => {
  it("is that of the pages of a PDF", async () => {
    const pdf = makePdf([pageText("Hello \\(world\\)"), "", pageText("The end")]);
    const note = "[1 of its 3 pages have no text, as scans have none: 2]";
    const text = `Hello \\(world\\)\n\nThe end\n${note}`;
    expect(await extract("pdf", pdf)).toEqual({ text, pages: 3 });
  });

  it("is that of the paragraphs, tables and notes of a Word document", async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const body = [
      paragraph("Ada &amp; Bob &#8364;"),
      "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:delText>gone</w:delText></w:r></w:p>",
      `<w:tbl><w:tr>${cell("x")}${cell("y")}</w:tr></w:tbl>`,
      `<mc:AlternateContent><mc:Choice>${paragraph("new")}</mc:Choice><mc:Fallback>${paragraph("new")}</mc:Fallback></mc:AlternateContent>`,
    ];
    const docx = await makeZip(docxFiles(body.join("")));
    expect(await extract("docx", docx)).toEqual({
      text: "Ada & Bob €\na\tb\n\nx \ty \t\nnew\n\nA note.",
    });
  });

  it("is that of the cells of a workbook, with its dates", async () => {
    const xlsx = await makeZip(
      xlsxFiles(
        {
          "North &amp; South": `<row><c r="A1" t="s"><v>1</v></c><c r="C1"><v>1.5</v></c><c r="D1" s="1"><v>45000.75</v></c><c r="E1" s="2"><v>45000</v></c></row><row><c t="b"><v>1</v></c><c t="inlineStr"><is><t>in
line</t></is></c><c t="str"><f>A1</f><v>sum</v></c></row>`,
          Empty: "",
        },
        {
          shared: `<si><t>zero</t></si><si><r><t>o</t></r><r><t>ne</t></r><rPh><t>no</t></rPh></si>`,
          styles: `<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/><numFmt numFmtId="165" formatCode="0.0 &quot;days&quot;"/></numFmts><cellXfs><xf numFmtId="165"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs>`,
        },
      ),
    );
    expect(await extract("xlsx", xlsx)).toEqual({
      text: "Sheet North & South:\none\t\t1.5\t2023-03-15 18:00:00\t2023-03-15\nTRUE\tin line\tsum",
    });
  });

  it("is that of the slides of a presentation in their order, with notes", async () => {
    const pptx = await makeZip(pptxFiles(["First", "Second"], "Say hello"));
    expect(await extract("pptx", pptx)).toEqual({
      text: "Slide 1:\nFirst\nNotes:\nSay hello\n\nSlide 2:\nSecond",
    });
  });

  it.each([
    [
      "signs, codes and letters",
      "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}Caf\\'e9 \\u8364?\\par\nb\\tab c\\{\\}}",
      "Café €\nb\tc{}",
    ],
    ["letters of two bytes", "{\\rtf1\\ansicpg932 \\'82\\'a0\\'82\\'a2}", "あい"],
    [
      "negative codes and longer replacements",
      "{\\rtf1 \\uc2\\u-3913 ab{\\uc0\\u233}x}",
      "\uf0b7éx",
    ],
    ["hidden groups", "{\\rtf1 a{\\*\\x b{c}d}{\\pict 00}{\\info{\\author e}}f\\bin3 }}}g}", "afg"],
    ["a line broken after a backslash", "{\\rtf1 a\\\nb}", "a\nb"],
  ])("is that of an RTF document with %s", async (_name, rtf, text) => {
    expect(await extract("rtf", Buffer.from(rtf, "latin1"))).toEqual({ text });
  });

  it("says where it was cut", async () => {
    const pages = Array.from({ length: 40 }, (_, index) => pageText(`Page ${index + 1}`));
    const cut = await extract("pdf", makePdf(pages), { maxCharacters: 50 });
    expect(cut).toEqual({
      text: expect.stringMatching(
        /^Page 1\n\nPage 2[^]*\n\[The file continues: this is its beginning, up to page 7 of 40\]$/,
      ) as string,
      pages: 40,
    });
    const docx = await makeZip(docxFiles(paragraph("word ".repeat(100))));
    expect(await extract("docx", docx, { maxCharacters: 12 })).toEqual({
      text: "word word wo\n[The file continues: this is its beginning, 12 characters of its text]",
    });
  });

  it.each<[string, DocumentKind, () => Uint8Array | Promise<Uint8Array>, object]>([
    ["a PDF with a password", "pdf", () => lockedPdf(), { failure: "encrypted" }],
    [
      "a PDF that was cut off",
      "pdf",
      () => cut(makePdf([pageText("x".repeat(9000))])),
      { failure: "damaged" },
    ],
    ["a PDF of pictures", "pdf", () => makePdf(["q Q", "q Q"]), { failure: "no_text", pages: 2 }],
    [
      "a PDF with a page that is not there",
      "pdf",
      () => makePdf([], { claims: 3 }),
      { failure: "damaged" },
    ],
    [
      "a PDF of too many pages",
      "pdf",
      () => makePdf(Array<string>(10_000).fill("")),
      { failure: "too_many_pages", pages: 10_000 },
    ],
    [
      "a PDF whose font does not say its characters",
      "pdf",
      () => makeJapanesePdf(),
      { failure: "unknown_characters", pages: 1 },
    ],
    ["a text that is no PDF", "pdf", () => Buffer.from("hello"), { failure: "wrong_type" }],
    ["an encrypted Word document", "docx", encryptedOffice, { failure: "encrypted" }],
    [
      "an old Word document",
      "docx",
      () => encryptedOffice().subarray(0, 600),
      { failure: "wrong_type", is: expect.stringContaining("before 2007") as string },
    ],
    [
      "a Word document that was cut off",
      "docx",
      async () => cut(await makeZip(docxFiles("x"))),
      { failure: "damaged" },
    ],
    [
      "a workbook as a Word document",
      "docx",
      async () => makeZip(xlsxFiles({})),
      { failure: "wrong_type", is: "an Excel workbook" },
    ],
    [
      "an archive as a Word document",
      "docx",
      async () => makeZip({ "a.txt": "a" }),
      { failure: "wrong_type", is: "a zip archive" },
    ],
    [
      "a presentation without text",
      "pptx",
      async () => makeZip(pptxFiles(["", ""], "")),
      { failure: "no_text" },
    ],
    [
      "a PNG as an RTF document",
      "rtf",
      () => Buffer.from("\x89PNG\r\n", "latin1"),
      { failure: "wrong_type" },
    ],
    [
      "an RTF document that was cut off",
      "rtf",
      () => Buffer.from("{\\rtf1 a{b"),
      { failure: "damaged" },
    ],
    [
      "an RTF document of groups only",
      "rtf",
      () => Buffer.from(`{\\rtf1${"{".repeat(20_000)}`),
      { failure: "too_complex" },
    ],
  ])("is missing for %s, and why is said", async (_name, kind, bytes, expected) => {
    expect(await extract(kind, await bytes())).toEqual(expected);
  });

  it("says where a font does not say its characters", async () => {
    const { text } = (await extract("pdf", makeJapanesePdf([pageText("Two")]))) as { text: string };
    expect(text).toContain("Two");
    expect(text).toContain("[Text is missing: its fonts do not say which characters they show]");
  });

  it("counts the pages of a PDF whose text takes too much", async () => {
    const long = makePdf([pageText("One"), await bombStream(200)]);
    expect(await extract("pdf", long)).toEqual({
      failure: "too_complex",
      pages: 2,
    });
  });

  it("leaves out damaged pages and says which", async () => {
    const broken = streamOf(Buffer.from("not deflated"), "/Filter /FlateDecode");
    const found = await extract("pdf", makePdf([pageText("One"), broken]));
    expect(found).toEqual({
      text: expect.stringMatching(/^One\n\[1 of its 2 pages .*: 2\]$/) as string,
      pages: 2,
    });
  });
});

const cut = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length / 2);

function lockedPdf(): Buffer {
  const key = "a".repeat(64);
  const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00><00>]`;
  return makePdf([pageText("secret")], { trailer: encryption });
}
