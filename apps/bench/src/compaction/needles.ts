// A long conversation in which things are named once, that are asked for later.

/** What is named, in the order in which it is asked for. */
export const needleKinds = ["identifiers", "decisions", "open tasks"] as const;
export type NeedleKind = (typeof needleKinds)[number];

export interface Needle {
  readonly kind: NeedleKind;
  /** What the conversation says, once. */
  readonly sentence: string;
  /** What an answer that has it contains. */
  readonly key: string;
}

/** What asks for all needles of a kind. */
export const questions: Readonly<Record<NeedleKind, string>> = {
  identifiers: "List every invoice number that was named so far, one per line, and nothing else.",
  decisions: "List every code name that was decided on so far, one per line, and nothing else.",
  "open tasks":
    "List every task that is still open, word for word, one per line, and nothing else.",
};

const colours = ["Amber", "Crimson", "Cobalt", "Ivory", "Russet"];
const birds = ["Heron", "Plover", "Siskin", "Avocet"];
const papers = ["lease", "tender", "waiver", "permit", "charter"];
const names = ["Priya", "Tomas"];

const pairs = (left: readonly string[], right: readonly string[]): string[] =>
  left.flatMap((one) => right.map((other) => `${one} ${other}`));

/** 40 identifiers, 20 decisions and 10 open tasks. */
export const needles: readonly Needle[] = [
  ...Array.from({ length: 40 }, (_, index): Needle => {
    const key = `INV-2031-${1009 + index * 37}`;
    return { kind: "identifiers", key, sentence: `The invoice is ${key}.` };
  }),
  ...pairs(colours, birds).map((key, index): Needle => {
    const sentence = `We have decided: workshop ${String.fromCodePoint(65 + index)} gets the code name ${key}.`;
    return { kind: "decisions", key, sentence };
  }),
  ...pairs(names, papers).map((pair): Needle => {
    const key = `ask ${pair.replace(" ", " for the ")}`;
    return { kind: "open tasks", key, sentence: `\n- [ ] ${key}\n` };
  }),
];

const people = ["The courier", "Our landlord", "The printer", "A neighbour", "The new intern"];
const verbs = ["mentioned", "complained about", "asked after", "forgot", "was pleased with"];
const things = [
  "the weather",
  "the coffee",
  "the long meeting",
  "the lift",
  "the car park",
  "lunch",
];

const pick = (all: readonly string[], index: number): string => all[index % all.length] ?? "";

const filler = (index: number): string =>
  `${pick(people, index)} ${pick(verbs, Math.floor(index / 5))} ${pick(things, Math.floor(index / 3))} again.`;

/** Newest messages without needles: they stay in prompts as they are. */
const PLAIN_AT_END = 40;

/** So many messages, each with some sentences of no weight; the needles are spread over all but the newest. */
export function longConversation(count: number): string[] {
  const every = (count - PLAIN_AT_END) / needles.length;
  // Kinds alternate: none is in the oldest messages alone.
  const spread = needles.toSorted((a, b) => orderOf(a) - orderOf(b));
  const placed = new Map(
    spread.map(({ sentence }, index) => [Math.floor(index * every), sentence]),
  );
  return Array.from({ length: count }, (_, rank) => {
    const sentences = [0, 1, 2].map((part) => filler(rank * 3 + part));
    const needle = placed.get(rank);
    return (needle === undefined ? sentences : sentences.toSpliced(2, 0, needle)).join(" ");
  });
}

/** Its place among those of its kind, from 0 to 1. */
function orderOf(needle: Needle): number {
  const ofKind = needles.filter(({ kind }) => kind === needle.kind);
  return ofKind.indexOf(needle) / ofKind.length;
}

/** The share of the needles of a kind that a text has, whatever their case. */
export function shareIn(text: string, kind: NeedleKind): number {
  const ofKind = needles.filter((needle) => needle.kind === kind);
  const lower = text.toLowerCase();
  return ofKind.filter(({ key }) => lower.includes(key.toLowerCase())).length / ofKind.length;
}
