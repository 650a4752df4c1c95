import { essenceOf, toStorable } from "@parley/schema";
import { convert } from "html-to-text";

/** Bytes of a file that agents are given text of; what comes behind them is left out. */
export const FILE_TEXT_BYTES = 128 * 1024;

/**
 * Bytes of a page that are converted, with all of its markup: the worst page of that size takes 0.2 s,
 * of twice that 1.4 s.
 */
const HTML_BYTES = 64 * 1024;
/** What is deeper in a page, or behind so many elements of another, is left out. */
const HTML_LIMITS = { maxDepth: 100, maxChildNodes: 5000 };

const textTypes = new Set(["application/json", "application/csv", "application/xhtml+xml"]);
const htmlTypes = new Set(["text/html", "application/xhtml+xml"]);

/** Whether files of the type are text. */
export function isText(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return essence.startsWith("text/") || textTypes.has(essence);
}

/**
 * The text that agents are given of a file that begins with `beginning`: of a page what a reader
 * sees, and a last line that says so where the file goes on. Null where the type has no text.
 */
export function extractText(
  beginning: Uint8Array,
  { contentType, sizeBytes }: { contentType: string; sizeBytes: number },
): string | null {
  if (!isText(contentType)) return null;
  const isPage = htmlTypes.has(essenceOf(contentType));
  const used = beginning.subarray(0, isPage ? HTML_BYTES : FILE_TEXT_BYTES);
  // A character that the cut has split is left out.
  const decoded = decoderOf(contentType).decode(used, { stream: used.length < sizeBytes });
  const text = isPage ? convertHtml(decoded) : decoded;
  return toStorable(used.length < sizeBytes ? text + cutNote(used.length, sizeBytes) : text);
}

/** The part of an inline text that agents are given when its file is added again. */
export function cutText(text: string): string {
  if (text.length <= FILE_TEXT_BYTES) return text;
  return text.slice(0, FILE_TEXT_BYTES).toWellFormed() + cutNote(FILE_TEXT_BYTES, text.length);
}

function cutNote(used: number, size: number): string {
  return `\n[The file goes on: this is the beginning, ${used} of ${size}]`;
}

function decoderOf(contentType: string): TextDecoder {
  const label = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

function convertHtml(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: HTML_LIMITS,
    selectors: [{ selector: "img", format: "skip" }],
  });
}
