import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createDeflate, deflateSync } from "node:zlib";

/** How a PDF differs from an ordinary one. */
export interface PdfOptions {
  /** Entries of its trailer, such as that of an encryption. */
  readonly trailer?: string;
  /** The number of pages that it claims to have. */
  readonly claims?: number;
}

/** The operators that write a line of text on a page. */
export const pageText = (text: string): string =>
  `BT /F1 12 Tf 72 720 Td (${text.replaceAll(/([\\()])/g, "\\$1")}) Tj ET`;

/** A PDF with a page for each of the contents, which are operators of a page. */
export function makePdf(
  contents: readonly (string | Uint8Array)[],
  { trailer = "", claims = contents.length }: PdfOptions = {},
): Buffer {
  const kids = contents.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects: (string | Uint8Array)[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${claims} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      typeof content === "string" ? streamOf(Buffer.from(content, "latin1")) : content,
    ]),
  ];
  return joinObjects(objects, trailer);
}

/** A PDF with a page of text in a Japanese font that is not in it; further pages are of these contents. */
export function makeJapanesePdf(contents: readonly string[] = []): Buffer {
  const page = (content: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>`;
  const all = ["BT /F2 12 Tf 72 720 Td <93FA967B8CEA> Tj ET", ...contents];
  const kids = all.map((_, index) => `${6 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${all.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /90ms-RKSJ-H /DescendantFonts [5 0 R] >>",
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 >>",
    ...all.flatMap((content, index) => [page(7 + index * 2), streamOf(Buffer.from(content))]),
  ];
  return joinObjects(objects, "");
}

/** A stream object of these bytes. */
export function streamOf(bytes: Uint8Array, entries = ""): Buffer {
  const head = `<< /Length ${bytes.length} ${entries} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from("\nendstream")]);
}

/** A stream that is so many megabytes of spaces when it is unpacked, by one filter after the other. */
export async function bombStream(megabytes: number, filters = 1): Promise<Buffer> {
  const megabyte = Buffer.alloc(1_048_576, 0x20);
  const pieces = function* () {
    for (let count = 0; count < megabytes; count++) yield megabyte;
  };
  let bytes = await buffer(Readable.from(pieces()).pipe(createDeflate({ level: 1 })));
  for (let filter = 1; filter < filters; filter++) bytes = deflateSync(bytes, { level: 9 });
  return streamOf(bytes, `/Filter [${"/FlateDecode ".repeat(filters)}]`);
}

function joinObjects(objects: readonly (string | Uint8Array)[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const places: number[] = [];
  let at = parts[0]!.length;
  for (const [index, object] of objects.entries()) {
    const head = Buffer.from(`${index + 1} 0 obj\n`);
    const part = Buffer.concat([head, Buffer.from(object), Buffer.from("\nendobj\n")]);
    places.push(at);
    parts.push(part);
    at += part.length;
  }
  const lines = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${lines}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}
