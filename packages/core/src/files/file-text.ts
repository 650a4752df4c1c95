import { acceptedTypeOf, toStorable } from "@parley/schema";
import { type Job, threadModule } from "../untrusted/job.ts";
import type { CallOptions, Threads } from "../untrusted/threads.ts";

/** Bytes at the beginning of a file that agents read as text. */
export const FILE_TEXT_BYTES = 128 * 1024;

/**
 * Bytes of a page, markup included, that are converted: the worst page of this size takes 0.2 s, one
 * of twice the size 1.4 s.
 */
const HTML_BYTES = 64 * 1024;
const pageJob: Job<string, string> = {
  url: threadModule("page-thread", import.meta.url),
  name: "convertPage",
  deadlineMs: 2000,
};

/** Whether files of the type are text, or pages. */
export function isText(contentType: string): boolean {
  const reading = acceptedTypeOf(contentType)?.reading;
  return reading === "text" || reading === "page";
}

interface BegunFile {
  readonly beginning: Uint8Array;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/**
 * The text of a file for agents. Pages are converted to visible text in a thread; a last line marks a
 * file that was cut. Null for a type without text, and for a page that takes too long.
 */
export async function extractText(
  threads: Threads,
  file: BegunFile,
  options: CallOptions,
): Promise<string | null> {
  if (acceptedTypeOf(file.contentType)?.reading !== "page") return readText(file);
  const page = decodeBeginning(file, HTML_BYTES);
  const outcome = await threads.call(pageJob, page, options);
  return "value" in outcome ? noteCut(outcome.value, file, HTML_BYTES) : null;
}

/** The text of a file that is not a page. Null for a type without text. */
export function readText(file: BegunFile): string | null {
  if (!isText(file.contentType)) return null;
  return noteCut(decodeBeginning(file, FILE_TEXT_BYTES), file, FILE_TEXT_BYTES);
}

function decodeBeginning({ beginning, contentType, sizeBytes }: BegunFile, max: number): string {
  const used = beginning.subarray(0, max);
  // A character that was cut in half is omitted.
  return decoderOf(contentType).decode(used, { stream: used.length < sizeBytes });
}

function noteCut(text: string, { beginning, sizeBytes }: BegunFile, max: number): string {
  const used = Math.min(beginning.length, max);
  return toStorable(used < sizeBytes ? text + cutNote(used, sizeBytes) : text);
}

/** The part of an inline text that agents read when its file is added again. */
export function cutText(text: string): string {
  if (text.length <= FILE_TEXT_BYTES) return text;
  return text.slice(0, FILE_TEXT_BYTES).toWellFormed() + cutNote(FILE_TEXT_BYTES, text.length);
}

function cutNote(used: number, size: number): string {
  return `\n[The file continues: this is the beginning, ${used} of ${size}]`;
}

function decoderOf(contentType: string): TextDecoder {
  const label = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
