import type { Readable } from "node:stream";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { DocumentFault } from "./document-fault.ts";
import { readXml, type XmlEvents } from "./read-xml.ts";

/** An Office document has a few dozen parts, and some for each slide and picture. */
const MAX_PARTS = 50_000;
const OLE_MARK = Buffer.from("d0cf11e0a1b11ae1", "hex");
/** The names of streams are in UTF-16. */
const ENCRYPTED_STREAM = Buffer.from("EncryptedPackage", "utf16le");

/** The parts of a zip archive, by their paths. */
export interface Archive {
  has(path: string): boolean;
  /** Reads a part of XML; one that is not there is as an empty one. */
  readPart(path: string, events: XmlEvents): Promise<void>;
}

/** Opens a zip archive. Throws `DocumentFault` for what is none, is encrypted or is not whole. */
export async function openArchive(
  bytes: Uint8Array,
  { maxUnpackedBytes }: { readonly maxUnpackedBytes: number },
): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.subarray(0, OLE_MARK.length).equals(OLE_MARK)) {
    if (buffer.includes(ENCRYPTED_STREAM)) throw new DocumentFault("encrypted");
    const is = "an Office file of before 2007 (.doc, .xls or .ppt), which is not read";
    throw new DocumentFault("wrong_type", { is });
  }
  if (buffer.toString("latin1", 0, 2) !== "PK") throw new DocumentFault("wrong_type");
  try {
    const { zip, parts } = await listParts(buffer);
    let unpacked = 0;
    const count = (size: number): void => {
      unpacked += size;
      if (unpacked > maxUnpackedBytes) throw new DocumentFault("too_complex");
    };
    return {
      has: (path) => parts.has(path),
      readPart: async (path, events) => {
        const entry = parts.get(path);
        if (entry === undefined) return;
        if (entry.isEncrypted()) throw new DocumentFault("encrypted");
        const stream = await openPart(zip, entry);
        try {
          await readXml(counted(stream, count), events);
        } finally {
          stream.destroy();
        }
      },
    };
  } catch (cause) {
    throw asFault(cause);
  }
}

async function listParts(buffer: Buffer): Promise<{ zip: ZipFile; parts: Map<string, Entry> }> {
  const zip = await yauzl.fromBufferPromise(buffer, { lazyEntries: true });
  const parts = new Map<string, Entry>();
  if (zip.entryCount > MAX_PARTS) throw new DocumentFault("too_complex");
  for await (const entry of zip.eachEntry()) {
    if (!parts.has(entry.fileName)) parts.set(entry.fileName, entry);
  }
  return { zip, parts };
}

async function openPart(zip: ZipFile, entry: Entry): Promise<Readable> {
  try {
    return await zip.openReadStreamPromise(entry);
  } catch (cause) {
    throw asFault(cause);
  }
}

async function* counted(
  stream: Readable,
  count: (size: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = (stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch((cause: unknown) => {
      throw asFault(cause);
    });
    if (next.done === true) return;
    count(next.value.length);
    yield next.value;
  }
}

const asFault = (cause: unknown): DocumentFault =>
  cause instanceof DocumentFault ? cause : new DocumentFault("damaged", { cause });
