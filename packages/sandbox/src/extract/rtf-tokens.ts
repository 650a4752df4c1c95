/** A part of an RTF document: the border of a group, a word with its number, or bytes of text. */
export type RtfToken =
  | { readonly type: "open" }
  | { readonly type: "close" }
  | { readonly type: "word"; readonly word: string; readonly number: number | undefined }
  | { readonly type: "bytes"; readonly bytes: Uint8Array };

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MAX_RUN_BYTES = 4096;
/** Letters of a word, then its number, then the space that ends it. */
const word = /([a-zA-Z]{1,32})(-?\d{1,10})?( )?/y;

const isBreak = (code: number | undefined): boolean => code === 0x0a || code === 0x0d;

/** Reads the tokens of an RTF document; pictures in bytes are left out. */
export function* readTokens(content: Buffer): Generator<RtfToken, void, undefined> {
  let at = 0;
  while (at < content.length) {
    const code = content[at];
    if (code === OPEN || code === CLOSE) {
      yield { type: code === OPEN ? "open" : "close" };
      at++;
    } else if (isBreak(code)) {
      at++;
    } else if (code !== BACKSLASH) {
      const start = at;
      const last = Math.min(content.length, at + MAX_RUN_BYTES);
      while (at < last && !isSpecial(content[at])) at++;
      yield { type: "bytes", bytes: content.subarray(start, at) };
    } else {
      const control = readControl(content, at + 1);
      if (control.token !== undefined) yield control.token;
      at = control.end;
    }
  }
}

const isSpecial = (code: number | undefined): boolean =>
  code === OPEN || code === CLOSE || code === BACKSLASH || isBreak(code);

/** Reads what follows a backslash. */
function readControl(content: Buffer, at: number): { token?: RtfToken; end: number } {
  const found = readWord(content, at);
  if (found === undefined) return readSymbol(content, at);
  const { word: name, number, end } = found;
  if (name === "bin") return { end: end + Math.max(0, number ?? 0) };
  return { token: { type: "word", word: name, number }, end };
}

function readWord(content: Buffer, at: number) {
  const text = content.toString("latin1", at, at + 48);
  word.lastIndex = 0;
  const match = word.exec(text);
  if (match === null) return undefined;
  const [all, name = "", digits] = match;
  const number = digits === undefined ? undefined : Number(digits);
  return { word: name, number, end: at + all.length };
}

function readSymbol(content: Buffer, at: number): { token?: RtfToken; end: number } {
  const symbol = String.fromCharCode(content[at] ?? 0);
  if (symbol === "'") {
    const value = Number.parseInt(content.toString("latin1", at + 1, at + 3), 16);
    const end = at + 3;
    return Number.isNaN(value)
      ? { end }
      : { token: { type: "bytes", bytes: Uint8Array.of(value) }, end };
  }
  if ("\\{}".includes(symbol)) {
    return { token: { type: "bytes", bytes: content.subarray(at, at + 1) }, end: at + 1 };
  }
  // A line that is broken after a backslash is a paragraph.
  const name = isBreak(content[at]) ? "par" : symbol;
  return { token: { type: "word", word: name, number: undefined }, end: at + 1 };
}

/** Names of code pages that are not `windows-` and their number. */
const pages: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10_000: "macintosh",
  65_001: "utf-8",
};

/** The decoder of a code page of Windows; that of western Europe for unknown ones. */
export function decoderOfPage(page: number): TextDecoder {
  try {
    return new TextDecoder(pages[page] ?? `windows-${page}`);
  } catch {
    return new TextDecoder("windows-1252");
  }
}
