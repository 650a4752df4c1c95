import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

/** A zip archive of these files. */
export async function makeZip(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    // Compressors of many files at once take gigabytes.
    zip.addBuffer(Buffer.from(content), path, { compress: content.length > 0 });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** A zip archive in which a file begins and ends so, with a megabyte between them that is repeated. */
export async function makeZipBomb(
  files: Readonly<Record<string, string>>,
  bomb: { path: string; start: string; megabyte: Uint8Array; megabytes: number; end: string },
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    if (path !== bomb.path) zip.addBuffer(Buffer.from(content), path);
  }
  const pieces = function* () {
    yield Buffer.from(bomb.start);
    for (let count = 0; count < bomb.megabytes; count++) yield bomb.megabyte;
    yield Buffer.from(bomb.end);
  };
  const options = { compressionLevel: 1 };
  zip.addReadStream(Readable.from(pieces(), { objectMode: false }), bomb.path, options);
  zip.end();
  return buffer(zip.outputStream);
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** The relations of a part: types by the paths that they lead to, with ids from rId1. */
export function relate(related: readonly (readonly [type: string, target: string])[]): string {
  const all = related.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${relationships}/${type}" Target="${target}"/>`,
  );
  return `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join("")}</Relationships>`;
}

const top = (main: string) => ({ "_rels/.rels": relate([["officeDocument", main]]) });

/** A Word document with this body. */
export function docxFiles(body: string): Record<string, string> {
  const names =
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
  return {
    ...top("word/document.xml"),
    "word/_rels/document.xml.rels": relate([["footnotes", "footnotes.xml"]]),
    "word/document.xml": `${xml}<w:document ${names}><w:body>${body}</w:body></w:document>`,
    "word/footnotes.xml": `${xml}<w:footnotes ${names}><w:footnote w:id="1">${paragraph("A note.")}</w:footnote></w:footnotes>`,
  };
}

/** A paragraph of a Word document. */
export const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A workbook of sheets by their names, each as the rows of its `sheetData`. */
export function xlsxFiles(
  sheets: Readonly<Record<string, string>>,
  { shared = "", styles = "", properties = "" } = {},
): Record<string, string> {
  const names = Object.keys(sheets);
  const listed = names.map(
    (name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 3}"/>`,
  );
  return {
    ...top("xl/workbook.xml"),
    "xl/workbook.xml": `${xml}<workbook xmlns:r="${relationships}">${properties}<sheets>${listed.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relate([
      ["sharedStrings", "sharedStrings.xml"],
      ["styles", "styles.xml"],
      ...names.map((_, index) => ["worksheet", `worksheets/sheet${index + 1}.xml`] as const),
    ]),
    "xl/sharedStrings.xml": `${xml}<sst>${shared}</sst>`,
    "xl/styles.xml": `${xml}<styleSheet>${styles}</styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `${xml}<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  };
}

/** A presentation with a slide for each text, and notes for the first. */
export function pptxFiles(slides: readonly string[], notes: string): Record<string, string> {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`);
  const shape = (text: string) =>
    `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sp></p:sld>`;
  return {
    ...top("ppt/presentation.xml"),
    "ppt/presentation.xml": `${xml}<p:presentation xmlns:p="p" xmlns:r="${relationships}"><p:sldIdLst>${ids.join("")}</p:sldIdLst></p:presentation>`,
    // The first slide is not the first file.
    "ppt/_rels/presentation.xml.rels": relate(
      slides.map((_, index) => ["slide", `slides/slide${slides.length - index}.xml`]),
    ),
    ...Object.fromEntries(
      slides.map((text, index) => [
        `ppt/slides/slide${slides.length - index}.xml`,
        `${xml}${shape(text)}`,
      ]),
    ),
    [`ppt/slides/_rels/slide${slides.length}.xml.rels`]: relate([
      ["notesSlide", "../notesSlides/notesSlide1.xml"],
    ]),
    "ppt/notesSlides/notesSlide1.xml": `${xml}${shape(notes)}`,
  };
}

/** An Office file that is encrypted, as far as its head and the name of its stream say. */
export function encryptedOffice(): Buffer {
  const head = Buffer.from("d0cf11e0a1b11ae1", "hex");
  return Buffer.concat([head, Buffer.alloc(1024), Buffer.from("EncryptedPackage", "utf16le")]);
}
