import type { BoundedText } from "./bounded-text.ts";
import { DocumentFault } from "./document-fault.ts";
import { decoderOfPage, readTokens } from "./rtf-tokens.ts";

/** What is not the text of the document, beside what begins with `\*`. */
const destinations = new Set(
  `fonttbl colortbl stylesheet info pict object listtable revtbl header headerl headerr headerf
   footer footerl footerr footerf listoverridetable rsidtbl generator themedata datastore xmlnstbl
   fldinst latentstyles bkmkstart bkmkend nonshppict filetbl template`.split(/\s+/),
);

/** Characters that words stand for. */
const signs: Readonly<Record<string, string>> = {
  par: "\n",
  line: "\n",
  sect: "\n\n",
  page: "\n\n",
  row: "\n",
  cell: "\t",
  tab: "\t",
  emdash: "—",
  endash: "–",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  emspace: " ",
  enspace: " ",
  "~": "\u00a0",
  _: "-",
};

/** A document has some dozens of groups within each other. */
const MAX_DEPTH = 10_000;

interface Group {
  readonly isHidden: boolean;
  /** Characters that stand after `\u` for readers that do not know it. */
  readonly skipAfterUnicode: number;
}

/** Adds the text of an RTF document. Throws `DocumentFault` for what is none, or ends within a group. */
export function readRtf(text: BoundedText, bytes: Uint8Array): void {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!content.subarray(0, 16).toString("latin1").trimStart().startsWith("{\\rtf")) {
    throw new DocumentFault("wrong_type");
  }
  const outer: Group[] = [];
  let group: Group = { isHidden: false, skipAfterUnicode: 1 };
  let decoder = decoderOfPage(1252);
  let skip = 0;
  /** Ends a letter of which a part is missing. */
  const flush = (): void => {
    const rest = decoder.decode();
    if (rest !== "") text.add(rest);
  };
  const add = (added: string): void => {
    flush();
    if (!group.isHidden) text.add(added);
  };
  for (const token of readTokens(content)) {
    if (token.type === "open") {
      if (outer.length >= MAX_DEPTH) throw new DocumentFault("too_complex");
      outer.push(group);
      skip = 0;
    } else if (token.type === "close") {
      flush();
      group = outer.pop() ?? group;
      skip = 0;
      if (outer.length === 0) return;
    } else if (token.type === "bytes") {
      // Letters of other scripts take two bytes, which may be two tokens.
      const kept = token.bytes.subarray(skip);
      skip = Math.max(0, skip - token.bytes.length);
      if (!group.isHidden) text.add(decoder.decode(kept, { stream: true }));
    } else if (token.word === "u") {
      const code = token.number ?? 0;
      add(String.fromCharCode(code < 0 ? code + 65_536 : code));
      skip = group.skipAfterUnicode;
    } else if (token.word === "uc") {
      group = { ...group, skipAfterUnicode: Math.min(100, Math.max(0, token.number ?? 1)) };
    } else if (token.word === "ansicpg") {
      decoder = decoderOfPage(token.number ?? 1252);
    } else if (token.word === "*" || destinations.has(token.word)) {
      flush();
      group = { ...group, isHidden: true };
    } else {
      const sign = signs[token.word];
      if (sign !== undefined) add(sign);
    }
  }
  throw new DocumentFault("damaged");
}
