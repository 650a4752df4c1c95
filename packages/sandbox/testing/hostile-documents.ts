import type { DocumentKind } from "@parley/schema";
import { docxFiles, makeZip, makeZipBomb, paragraph, xlsxFiles } from "./make-office.ts";
import { bombStream, makePdf, pageText, streamOf } from "./make-pdf.ts";

// Documents that want too much: bombs, loops, and more of something than a reader expects.

const MEGABYTE = 1_048_576;

/** A document that wants too much. */
export interface HostileDocument {
  readonly name: string;
  readonly kind: DocumentKind;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
}

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

export const hostileDocuments: readonly HostileDocument[] = [
  { name: "a part of 400 MB", kind: "docx", make: () => docxBomb("", spaces, 400) },
  { name: "an attribute of 200 MB", kind: "docx", make: () => docxBomb('<w:p x="', spaces, 200) },
  {
    name: "4 million elements in each other",
    kind: "docx",
    make: () => docxBomb("", Buffer.from(repeat("<w:p>", MEGABYTE)), 20),
  },
  {
    name: "a text of 200 MB",
    kind: "docx",
    make: () => docxBomb("<w:p><w:r><w:t>", Buffer.alloc(MEGABYTE, 0x61), 200),
  },
  {
    name: "shared texts of 40 MB",
    kind: "xlsx",
    make: () => {
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
  },
  {
    name: "60,000 parts",
    kind: "docx",
    make: () =>
      makeZip(
        Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [String(index), ""])),
      ),
  },
  {
    name: "entities of entities",
    kind: "docx",
    make: () => {
      const entities = Array.from(
        { length: 10 },
        (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
      );
      const files = docxFiles(paragraph("&e10; end"));
      const dtd = `<!DOCTYPE x [<!ENTITY e0 "lol">${entities.join("")}]>`;
      return makeZip({ ...files, "word/document.xml": dtd + files["word/document.xml"] });
    },
  },
  {
    name: "a page of 1 GB in two filters",
    kind: "pdf",
    make: async () => makePdf([await bombStream(1024, 2)]),
  },
  {
    name: "pages of 200 MB",
    kind: "pdf",
    make: async () => makePdf([await bombStream(100), await bombStream(100), pageText("x")]),
  },
  {
    name: "a page of 8 MB that draws nothing",
    kind: "pdf",
    make: () => makePdf([repeat("q Q 1 0 0 1 0 0 cm\n", 8 * MEGABYTE)]),
  },
  {
    name: "a page of 8 MB of text",
    kind: "pdf",
    make: () => makePdf([repeat(`${pageText("ab")}\n`, 8 * MEGABYTE)]),
  },
  {
    name: "10,000 pages",
    kind: "pdf",
    make: () => makePdf(Array<string>(10_000).fill(pageText("x"))),
  },
  {
    name: "3,000 pages",
    kind: "pdf",
    make: () => makePdf(Array<string>(3000).fill(pageText("A page of a report"))),
  },
  { name: "pages that are their own parents", kind: "pdf", make: () => cyclicPdf() },
  { name: "a form that draws itself", kind: "pdf", make: () => recursivePdf() },
  {
    name: "8 MB of groups",
    kind: "rtf",
    make: () => Buffer.from(`{\\rtf1 ${repeat("{\\b a}", 8 * MEGABYTE)}}`),
  },
  {
    name: "8 MB of hidden groups",
    kind: "rtf",
    make: () => Buffer.from(`{\\rtf1 ${repeat("{\\*\\x a}", 8 * MEGABYTE)}}`),
  },
  {
    name: "8 MB of words without a number",
    kind: "rtf",
    make: () => Buffer.from(`{\\rtf1 ${repeat("\\bin-1\\u99999999999\\'zz", 8 * MEGABYTE)}}`),
  },
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

/** The file of the document at an index, where they are written. */
export function fileNameOf(index: number): string {
  const { name, kind } = hostileDocuments[index]!;
  return `${String(index).padStart(2, "0")} ${name}.${kind}`;
}
