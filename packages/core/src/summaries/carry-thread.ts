// Runs in a thread: see untrusted/thread.ts. What a program copies from messages that a summary replaces, so that no
// model can lose it.
import type { CarriedItem } from "@parley/db";

/** Of each kind, the newest; of a longer text, nothing is carried. */
const MAX_ITEMS: Readonly<Record<CarriedItem["kind"], number>> = {
  task: 40,
  url: 60,
  file: 60,
  id: 120,
  quantity: 60,
};
const MAX_CHARACTERS: Readonly<Record<CarriedItem["kind"], number>> = {
  task: 300,
  url: 500,
  file: 200,
  id: 80,
  quantity: 40,
};
/** Of all items together. */
const MAX_BYTES = 16 * 1024;

const open = /^[\t ]*[-*][\t ]+\[ \][\t ]+(\S[^\n]{0,400})$/gm;
const done = /^[\t ]*[-*][\t ]+\[[xX]\][\t ]+(\S[^\n]{0,400})$/gm;
const todo = /\b(?:TODO|FIXME|To do|Open task|Action item)[\t ]*:[\t ]*(\S[^\n]{0,400})/gi;
const url = /\bhttps?:\/\/[^\s<>"'`{}|\\^\]]{1,600}/gi;
const email = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g;
const fileName =
  /(?<![\w./\\-])(?:[\w.-]{1,60}[/\\]){0,8}[\w.-]{1,100}\.(?:pdf|docx?|xlsx?|pptx?|csv|tsv|txt|md|json|ya?ml|toml|xml|html?|png|jpe?g|gif|svg|webp|zip|gz|tar|log|sql|ts|tsx|js|jsx|mjs|py|rb|go|rs|java|kt|c|h|cpp|cs|php|sh|ps1|ini|cfg|conf|env|lock|parquet|ipynb)\b/gi;
// A word of letters and digits, or with `-`, `_`, `#`, `/`, `:` or `.` inside, that holds a digit: INV-2024-0193, a UUID, sfi_Hr5Tb8Nw3J.
const word = /(?<![\w#/:.-])#?[A-Za-z0-9]+(?:[-_/:.#][A-Za-z0-9]+){0,12}(?![\w])/g;
const quantity =
  /(?<![\w.,-])(?:[$€£¥]\s?\d[\d.,' ]{0,18}\d?|\d[\d.,']{0,18}\s?(?:%|°C|°F|[KMGT]i?B|[kM]?W(?:h)?|[kmcµn]?m[²³]?|[kmµ]?g|m?l|ms|s|min|h|days?|weeks?|months?|years?|Hz|[kMG]Hz|V|A|EUR|USD|GBP|CHF|JPY|€|\$|£)(?!\w))/g;

/** Whether a word names something: it has letters and digits, and is no time, date or plain word. */
function isId(text: string): boolean {
  const letters = /[A-Za-z]/.test(text);
  const digits = text.replaceAll(/\D/g, "").length;
  if (text.startsWith("#")) return digits > 0;
  if (letters) return digits > 0 && text.length >= 4;
  return digits >= 5;
}

const trimmed = (text: string): string => text.trim().replace(/[),.;:!?]+$/, "");

function* found(text: string): Generator<CarriedItem> {
  for (const pattern of [open, todo]) {
    for (const [, task = ""] of text.matchAll(pattern)) yield { kind: "task", text: task.trim() };
  }
  for (const [match] of text.matchAll(url)) yield { kind: "url", text: trimmed(match) };
  const rest = text.replaceAll(url, " ");
  for (const [match] of rest.matchAll(fileName)) yield { kind: "file", text: match };
  for (const [match] of rest.matchAll(quantity)) yield { kind: "quantity", text: match.trim() };
  for (const [match] of rest.matchAll(email)) yield { kind: "id", text: trimmed(match) };
  const words = rest.replaceAll(fileName, " ").replaceAll(email, " ").replaceAll(quantity, " ");
  for (const [match] of words.matchAll(word)) if (isId(match)) yield { kind: "id", text: match };
}

/** Adds what a text holds to what was carried before it; a task that the text ticks off is no longer carried. */
export function carryOver(before: readonly CarriedItem[], text: string): CarriedItem[] {
  const items = new Map(before.map((item) => [`${item.kind} ${item.text}`, item]));
  for (const item of found(text)) {
    if (item.text === "" || item.text.length > MAX_CHARACTERS[item.kind]) continue;
    const key = `${item.kind} ${item.text}`;
    // What is named again is among the newest.
    items.delete(key);
    items.set(key, item);
  }
  for (const [, task = ""] of text.matchAll(done)) items.delete(`task ${task.trim()}`);
  return bound([...items.values()]);
}

/** A message as items are copied from it. */
export interface CarriedMessage {
  /** Title of the file that it attaches, whatever it looks like; null for none. */
  readonly file: string | null;
  readonly text: string;
}

/** Adds what messages hold to what was carried before them. */
export function carryMessages({
  before,
  messages,
}: {
  readonly before: readonly CarriedItem[];
  readonly messages: readonly CarriedMessage[];
}): CarriedItem[] {
  return messages.reduce<CarriedItem[]>(
    (carried, { file, text }) =>
      carryOver(file === null ? carried : carryFile(carried, file), text),
    [...before],
  );
}

/** A file that was attached, whatever its name looks like. */
export function carryFile(before: readonly CarriedItem[], title: string): CarriedItem[] {
  const name = title.trim().slice(0, MAX_CHARACTERS.file);
  if (name === "") return [...before];
  const others = before.filter(({ kind, text }) => kind !== "file" || text !== name);
  return bound([...others, { kind: "file", text: name }]);
}

/** The newest items within the bounds, in their order. */
function bound(items: readonly CarriedItem[]): CarriedItem[] {
  const counts = new Map<string, number>();
  let bytes = 0;
  const newest = items.toReversed().filter(({ kind, text }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count > MAX_ITEMS[kind]) return false;
    bytes += Buffer.byteLength(text) + 1;
    return bytes <= MAX_BYTES;
  });
  return newest.toReversed();
}
