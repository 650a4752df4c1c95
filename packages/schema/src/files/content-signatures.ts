import { acceptedTypeOf, essenceOf, type Signature } from "./accepted-types.ts";

/** What a file is by its first bytes; `signature` only for what some accepted type has. */
interface Beginning {
  readonly name: string;
  readonly signature?: Signature;
  /** Bytes, or text of one byte each, and where they stand. */
  readonly marks: readonly (readonly [at: number, bytes: string])[];
  /** Where the first mark may begin at the latest, if not at its place. */
  readonly within?: number;
}

const riff = [0, "RIFF"] as const;

/** Longer marks come before those that they begin with. */
const beginnings: readonly Beginning[] = [
  { name: "a PDF", signature: "pdf", marks: [[0, "%PDF-"]], within: 1024 },
  { name: "a PNG image", signature: "png", marks: [[0, "\x89PNG\r\n\x1a\n"]] },
  { name: "a JPEG image", signature: "jpeg", marks: [[0, "\xff\xd8\xff"]] },
  { name: "a GIF image", signature: "gif", marks: [[0, "GIF87a"]] },
  { name: "a GIF image", signature: "gif", marks: [[0, "GIF89a"]] },
  { name: "a WebP image", signature: "webp", marks: [riff, [8, "WEBP"]] },
  { name: "a WAV recording", signature: "wav", marks: [riff, [8, "WAVE"]] },
  { name: "an MP3 recording", signature: "mp3", marks: [[0, "ID3"]] },
  { name: "an Ogg recording", signature: "ogg", marks: [[0, "OggS"]] },
  { name: "a WebM or Matroska recording", signature: "webm", marks: [[0, "\x1a\x45\xdf\xa3"]] },
  { name: "an AVIF or HEIC image", marks: [[4, "ftypavif"]] },
  { name: "an AVIF or HEIC image", marks: [[4, "ftyphei"]] },
  { name: "an MP4 recording", signature: "mp4", marks: [[4, "ftyp"]] },
  { name: "an RTF document", signature: "rtf", marks: [[0, "{\\rtf"]] },
  { name: "a zip archive", signature: "zip", marks: [[0, "PK\x03\x04"]] },
  { name: "an empty zip archive", signature: "zip", marks: [[0, "PK\x05\x06"]] },
  {
    name: "an Office file that is encrypted or older than 2007",
    signature: "ole",
    marks: [[0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]],
  },
  { name: "a TIFF image", marks: [[0, "II*\0"]] },
  { name: "a TIFF image", marks: [[0, "MM\0*"]] },
  { name: "a BMP image", marks: [[0, "BM"]] },
  { name: "a gzip archive", marks: [[0, "\x1f\x8b"]] },
  { name: "a 7z archive", marks: [[0, "7z\xbc\xaf\x27\x1c"]] },
  { name: "a RAR archive", marks: [[0, "Rar!"]] },
  { name: "a program of Linux", marks: [[0, "\x7fELF"]] },
  { name: "a program of Windows", marks: [[0, "MZ"]] },
  { name: "a page of HTML", marks: [[0, "<!DOCTYPE html"]] },
  { name: "a page of HTML", marks: [[0, "<html"]] },
  { name: "an MP3 recording", signature: "mp3", marks: [[0, "\xff\xfb"]] },
  { name: "an MP3 recording", signature: "mp3", marks: [[0, "\xff\xf3"]] },
  { name: "an MP3 recording", signature: "mp3", marks: [[0, "\xff\xf2"]] },
];

/** Bytes at the beginning of a file that say what it is. */
export const SIGNATURE_BYTES = 1536;

/** What a file is by its first `SIGNATURE_BYTES`; undefined if they do not say it. */
export function recognise(
  beginning: Uint8Array,
): Pick<Beginning, "name" | "signature"> | undefined {
  const start = String.fromCharCode(...beginning.subarray(0, SIGNATURE_BYTES));
  return beginnings.find(({ marks, within = 0 }) =>
    marks.every(([at, bytes]) => {
      const found = start.indexOf(bytes, at);
      return found !== -1 && found <= at + within;
    }),
  );
}

/**
 * What is wrong with the content of a file of the type, naming the file; undefined if it begins as such files do, or
 * if they may begin in any way.
 */
export function contentFault(
  { contentType, fileName }: { readonly contentType: string; readonly fileName: string },
  beginning: Uint8Array,
): string | undefined {
  const { signatures = [] } = acceptedTypeOf(contentType) ?? {};
  if (signatures.length === 0) return undefined;
  const found = recognise(beginning);
  if (found?.signature !== undefined && signatures.includes(found.signature)) return undefined;
  const essence = essenceOf(contentType);
  const is = found === undefined ? "does not begin as such files do" : `is ${found.name}`;
  return `${fileName} is announced as ${essence}, but ${is}: announce it with its own type`;
}
