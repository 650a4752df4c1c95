import type { Archive } from "./archive.ts";
import { DocumentFault } from "./document-fault.ts";
import { attributeOf } from "./read-xml.ts";

/** Characters of all shared texts together: they are kept while the sheets are read. */
const MAX_SHARED_CHARACTERS = 32 * 1024 * 1024;
const MAX_SHARED = 2_000_000;

/** Reads the texts that the cells of a workbook share. */
export async function readSharedTexts(archive: Archive, part: string): Promise<string[]> {
  const texts: string[] = [];
  let characters = 0;
  let current = "";
  let inText = false;
  let inPhonetic = false;
  await archive.readPart(part, {
    open: (name) => {
      if (name === "si") current = "";
      if (name === "rPh") inPhonetic = true;
      if (name === "t") inText = !inPhonetic;
    },
    text: (text) => {
      if (!inText) return;
      characters += text.length;
      if (characters > MAX_SHARED_CHARACTERS) throw new DocumentFault("too_complex");
      current += text;
    },
    close: (name) => {
      if (name === "t") inText = false;
      if (name === "rPh") inPhonetic = false;
      if (name !== "si") return;
      if (texts.length >= MAX_SHARED) throw new DocumentFault("too_complex");
      texts.push(current);
    },
  });
  return texts;
}

/** Whether the number of a cell is a time, by the index of its style. */
export type IsTime = (style: string | undefined) => boolean;

/** A format of times has one of these letters outside of quotes, brackets and escapes. */
const timeLetters = /[ymdhs]/i;
const notLetters = /"[^"]*"|\[(?!h+\]|m+\]|s+\])[^\]]*\]|\\.|_./gi;
const MAX_STYLES = 100_000;

/** Reads which styles of a workbook are those of times. */
export async function readTimeStyles(archive: Archive, part: string): Promise<IsTime> {
  const own = new Map<string, string>();
  const formats: string[] = [];
  let inCells = false;
  await archive.readPart(part, {
    open: (name, attributes) => {
      if (name === "cellXfs") inCells = true;
      if (own.size + formats.length > MAX_STYLES) throw new DocumentFault("too_complex");
      const id = attributeOf(attributes, "numFmtId") ?? "";
      if (name === "numFmt") own.set(id, attributeOf(attributes, "formatCode") ?? "");
      if (name === "xf" && inCells) formats.push(id);
    },
    close: (name) => {
      if (name === "cellXfs") inCells = false;
    },
  });
  const isTimeFormat = (id: string): boolean => {
    const code = own.get(id);
    if (code !== undefined) return timeLetters.test(code.slice(0, 255).replace(notLetters, ""));
    const number = Number(id);
    return (number >= 14 && number <= 22) || (number >= 45 && number <= 47);
  };
  const times = new Set(formats.flatMap((id, index) => (isTimeFormat(id) ? index : [])));
  return (style) => style !== undefined && times.has(Number(style));
}

const DAY_MS = 86_400_000;
/** Day 0 of both calendars; the first has a 29 February 1900 that never was. */
const epochs = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) } as const;

/** A number of days as a date, a time of day, or both; the number itself if it is none. */
export function writeTime(value: string, epoch: keyof typeof epochs): string {
  const days = Number(value);
  if (!Number.isFinite(days) || days < 0 || days >= 2_958_466) return value;
  const seconds = Math.round((days * DAY_MS) / 1000);
  const iso = new Date(epochs[epoch] + seconds * 1000).toISOString();
  const [date = "", time = ""] = iso.slice(0, 19).split("T");
  if (days < 1) return time;
  return time === "00:00:00" ? date : `${date} ${time}`;
}
