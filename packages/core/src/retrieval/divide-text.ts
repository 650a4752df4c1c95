/**
 * Divides a text by its structure: headings, paragraphs and blocks of code. Where a part ends depends on the text around
 * its end alone, so that a change of a text leaves the parts elsewhere as they are.
 */
import { createHash } from "node:crypto";

/** A part of a text. */
export interface TextPart {
  readonly partId: string;
  readonly position: number;
  /** In UTF-16 units of the text; what it has in common with the part before is in both. */
  readonly start: number;
  readonly end: number;
  readonly headings: readonly string[];
  readonly content: string;
}

/** Characters of a part at most, without what it shares with the part before; and from which it may end early. */
const MAX_CHARACTERS = 1600;
const MIN_CHARACTERS = 700;
/** Characters of the part before that a part begins with. */
const OVERLAP_CHARACTERS = 200;
/** One of so many blocks begins a part of its own. */
const BREAK_EVERY = 3;
const MAX_HEADING_CHARACTERS = 200;

interface Block {
  readonly start: number;
  readonly end: number;
  /** Of the headings around it. */
  readonly section: readonly string[];
  /** Whether it begins a section. */
  readonly isFirst: boolean;
}

/** The parts of a text, in order; none of a blank one. */
export function divideText(text: string): TextPart[] {
  const parts: { start: number; end: number; section: readonly string[]; isFirst: boolean }[] = [];
  for (const block of blocksOf(text).flatMap((one) => splitBlock(text, one))) {
    const last = parts.at(-1);
    if (last === undefined || endsBefore(text, last, block)) parts.push({ ...block });
    else last.end = block.end;
  }
  const seen = new Map<string, number>();
  return parts.map(({ start: own, end, section, isFirst }, position) => {
    const start = isFirst ? own : overlapStart(text, own, parts[position - 1]!.start);
    const content = text.slice(start, end);
    const key = JSON.stringify([section, content]);
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    const partId = createHash("sha256").update(`${nth} ${key}`).digest("hex").slice(0, 24);
    return { partId, position, start, end, headings: section, content };
  });
}

function endsBefore(text: string, part: { start: number; end: number }, block: Block): boolean {
  if (block.isFirst) return true;
  if (block.end - part.start > MAX_CHARACTERS) return true;
  if (part.end - part.start < MIN_CHARACTERS) return false;
  const digest = createHash("sha1").update(text.slice(block.start, block.end)).digest();
  return digest[0]! % BREAK_EVERY === 0;
}

/** The beginning of a word or a sentence a little before a place. */
function overlapStart(text: string, place: number, min: number): number {
  const from = Math.max(min, place - OVERLAP_CHARACTERS);
  const before = text.slice(from, place);
  const sentence = /[.!?。！？]\s+(?=\S)/u.exec(before) ?? /\s(?=\S)/u.exec(before);
  if (sentence === null) return place;
  return from + sentence.index + sentence[0].length;
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Paragraphs, and blocks of code, which stay together; a heading belongs to what comes after it. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let headings: { level: number; title: string }[] = [];
  let section: readonly string[] = [];
  let begun: number | undefined;
  let isFirst = true;
  let fence: string | undefined;
  let at = 0;
  const close = (end: number) => {
    if (begun === undefined) return;
    blocks.push({ start: begun, end, section, isFirst });
    begun = undefined;
    isFirst = false;
  };
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const next = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, newline === -1 ? text.length : newline).trimEnd();
    const end = at + line.length;
    const [, marks] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks?.startsWith(fence) === true) {
        close(end);
        fence = undefined;
      }
    } else if (marks !== undefined) {
      begun ??= at;
      fence = marks;
    } else {
      const [, level, title = ""] = HEADING.exec(line) ?? [];
      if (level !== undefined) {
        close(at);
        const depth = level.length;
        const shown = title.slice(0, MAX_HEADING_CHARACTERS).toWellFormed();
        headings = [...headings.filter((one) => one.level < depth), { level: depth, title: shown }];
        section = headings.map((one) => one.title);
        isFirst = true;
        begun = at;
      } else if (line.trim() === "") {
        // A heading waits for its first paragraph.
        if (begun !== undefined && !isHeadingOnly(text.slice(begun, at))) close(at);
      } else begun ??= at;
    }
    at = next;
  }
  close(text.length);
  return blocks
    .map((block) => ({
      ...block,
      end: block.start + text.slice(block.start, block.end).trimEnd().length,
    }))
    .filter(({ start, end }) => end > start);
}

function isHeadingOnly(block: string): boolean {
  return HEADING.test(block.trim()) && !block.trim().includes("\n");
}

/** The pieces of a block that is too long, each as long as it may be. */
function splitBlock(text: string, block: Block): Block[] {
  const pieces: Block[] = [];
  let { start } = block;
  while (block.end - start > MAX_CHARACTERS) {
    const end = start + breakIn(text.slice(start, start + MAX_CHARACTERS));
    pieces.push({ ...block, start, end, isFirst: block.isFirst && pieces.length === 0 });
    start = end;
  }
  pieces.push({ ...block, start, isFirst: block.isFirst && pieces.length === 0 });
  return pieces;
}

/** Where a text that is too long is best broken: after a line, a sentence or a word in its second half. */
function breakIn(text: string): number {
  const half = Math.floor(text.length / 2);
  for (const boundary of [/\n/g, /[.!?。！？](?:\s+|(?<=[。！？]))/gu, /\s+/g]) {
    let found = -1;
    for (const match of text.matchAll(boundary)) found = match.index + match[0].length;
    if (found > half) return found;
  }
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? text.length - 1 : text.length;
}
