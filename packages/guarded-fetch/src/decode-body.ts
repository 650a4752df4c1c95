import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { FetchFault } from "./fetch-fault.ts";

const decoders = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/**
 * Decodes a body by its `content-encoding`, in pieces that are read one by one. It is not asked for, but
 * some servers compress always. Throws a `FetchFault` for several codings, and for one that it does not know.
 */
export function decodeBody(body: Readable, encoding: string | null): Readable {
  const coding = encoding?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return body;
  if (!Object.hasOwn(decoders, coding)) {
    body.on("error", () => {}).destroy();
    throw new FetchFault("bad_answer", "The answer is compressed in an unknown way");
  }
  // An error of the body is passed on, and a reader that stops early ends the body.
  return pipeline(body, decoders[coding as keyof typeof decoders](), () => {});
}
