import { describe, expect, it } from "vitest";
import { acceptedTypeOf, acceptedTypes, announcedType, documentKindOf } from "./accepted-types.ts";
import { contentFault, recognise, SIGNATURE_BYTES } from "./content-signatures.ts";
import { describeDocumentFailure } from "./document-failures.ts";

const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1");

/** A beginning of each kind of content. */
const beginnings: Readonly<Record<string, string>> = {
  pdf: `${"\n".repeat(1000)}%PDF-1.4`,
  zip: "PK\x03\x04x",
  ole: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1x",
  rtf: "{\\rtf1 x}",
  png: "\x89PNG\r\n\x1a\nx",
  jpeg: "\xff\xd8\xff\xe0",
  gif: "GIF89ax",
  webp: "RIFF\x01\x02\x03\x04WEBPVP8 ",
  mp3: "ID3\x04",
  mp4: "\0\0\0\x20ftypM4A ",
  ogg: "OggSx",
  wav: "RIFF\x01\x02\x03\x04WAVEfmt ",
  webm: "\x1a\x45\xdf\xa3x",
};

describe("accepted files", () => {
  it("have each type once, and a size that is whole", () => {
    const types = acceptedTypes.flatMap((row) => row.types);
    expect(new Set(types).size).toBe(types.length);
    for (const { maxBytes } of acceptedTypes) expect((maxBytes ?? 0) % 1_048_576).toBe(0);
  });

  it.each([
    ["text/x-anything; charset=latin1", "text"],
    ["TEXT/HTML", "page"],
    ["text/rtf", "rtf"],
    ["application/msword", "docx"],
    ["image/webp", "image"],
    ["application/octet-stream", "stored"],
    ["application/x-msdownload", undefined],
    ["video/mp4", undefined],
  ])("of type %s are read as %s", (contentType, reading) => {
    expect(acceptedTypeOf(contentType)?.reading).toBe(reading);
  });

  it("are announced as any file if their own type is not accepted", () => {
    const types = ["video/mp2t", "", "text/plain; charset=utf-8"].map(announcedType);
    const any = "application/octet-stream";
    expect(types).toEqual([any, any, "text/plain; charset=utf-8"]);
  });

  it("are documents where a process reads them", () => {
    expect([documentKindOf("application/pdf"), documentKindOf("text/csv")]).toEqual([
      "pdf",
      undefined,
    ]);
  });

  it("begin as files of their type do, or are named with what they are", () => {
    for (const { types, signatures } of acceptedTypes) {
      for (const [signature, beginning] of Object.entries(beginnings)) {
        const file = { contentType: types[0] ?? "", fileName: "a.b" };
        const fault = contentFault(file, latin1(beginning));
        const fits = signatures.length === 0 || signatures.some((one) => one === signature);
        if (fits) expect(fault).toBeUndefined();
        else {
          const { name } = recognise(latin1(beginning))!;
          expect(fault).toBe(
            `a.b is announced as ${types[0]}, but is ${name}: announce it with its own type`,
          );
        }
      }
    }
  });

  it("that begin as nothing known are refused only where a beginning is asked", () => {
    const beginning = new Uint8Array(SIGNATURE_BYTES * 100);
    const fileName = "a";
    expect(contentFault({ contentType: "text/plain", fileName }, beginning)).toBeUndefined();
    expect(contentFault({ contentType: "image/png", fileName }, beginning)).toBe(
      "a is announced as image/png, but does not begin as such files do: announce it with its own type",
    );
    expect(recognise(new Uint8Array())).toBeUndefined();
  });

  it("without a text are named with the reason", () => {
    expect(describeDocumentFailure("wrong_type", { fileName: "a.docx", is: "a zip archive" })).toBe(
      "a.docx is not what its type says: it is a zip archive",
    );
  });
});
