/** A generated corpus whose answers are known: topics in three languages, near-duplicates, and a code in each document. */

interface CorpusDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export const questionKinds = ["words", "codes", "misspelt words", "synonyms"] as const;
type QuestionKind = (typeof questionKinds)[number];

/** A question, and the documents that answer it. */
interface CorpusQuestion {
  readonly kind: QuestionKind;
  readonly query: string;
  readonly answers: ReadonlySet<string>;
}

export interface Corpus {
  readonly documents: readonly CorpusDocument[];
  readonly questions: readonly CorpusQuestion[];
  /** Words that no document has, each with the one of a question that means the same. */
  readonly synonyms: Readonly<Record<string, string>>;
}

const DOCUMENTS_OF_TOPIC = 50;
const WORDS_OF_TOPIC = 12;
const TOPIC_WORDS = 8;
const FILLER_WORDS = 60;
/** One of so many documents repeats the one before but for its code and a word. */
const DUPLICATE_EVERY = 5;

const fillers = [
  "the of and to in is that it for was on are as with they at be this from have by not but all were when can there an which if will about then them these some",
  "der die das und ist nicht ein eine zu den von mit sich auf für dem im auch es an werden aus er hat dass sie nach wird bei einer um am sind noch",
  "le la les de des du et est un une en que qui dans pour pas sur au ce il plus par avec ne se son sont ou mais comme nous vous leur cette",
].map((words) => words.split(" "));

const SYLLABLES = [
  "ba",
  "ku",
  "ri",
  "to",
  "ze",
  "mo",
  "la",
  "ni",
  "po",
  "ga",
  "fe",
  "du",
  "so",
  "wi",
];

/** Numbers that look random, the same each time. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return Math.floor((state / 0x80_00_00_00) * below);
  };
}

/** Makes a corpus of so many topics, 50 documents each. */
export function createCorpus(topics: number): Corpus {
  const below = createNumbers(7);
  const used = new Set<string>();
  const newWord = (): string => {
    for (;;) {
      const word = Array.from({ length: 4 }, () => SYLLABLES[below(SYLLABLES.length)]).join("");
      if (!used.has(word)) {
        used.add(word);
        return word;
      }
    }
  };
  const documents: CorpusDocument[] = [];
  const questions: CorpusQuestion[] = [];
  const synonyms: Record<string, string> = {};
  for (let topic = 0; topic < topics; topic++) {
    const words = Array.from({ length: WORDS_OF_TOPIC }, newWord);
    const filler = fillers[topic % fillers.length]!;
    const ids: string[] = [];
    let body: string[] = [];
    for (let nth = 0; nth < DOCUMENTS_OF_TOPIC; nth++) {
      const id = `t${topic}-d${nth}`;
      const code = codeOf(topic, nth);
      if (nth % DUPLICATE_EVERY === 1) body = body.with(0, filler[below(filler.length)]!);
      else body = createBody({ words, filler, below });
      // The two words of its question are in each document of a topic.
      const text = `${body.join(" ")}. ${words[0]} ${words[1]}.\n\nPart ${code}.`;
      documents.push({ id, title: `Document ${topic} ${nth}`, text });
      ids.push(id);
      if (nth === topic % DOCUMENTS_OF_TOPIC) {
        const query = code.replaceAll("-", "").toLowerCase();
        questions.push({ kind: "codes", query, answers: new Set([id]) });
      }
    }
    const answers = new Set(ids);
    questions.push({ kind: "words", query: `${words[0]} ${words[1]}`, answers });
    const others = words.slice(0, 2).map((word) => inOtherLetters(word));
    for (const [index, other] of others.entries()) synonyms[other] = words[index]!;
    questions.push({ kind: "synonyms", query: others.join(" "), answers });
    questions.push({ kind: "misspelt words", query: misspell(words[0]!, topic), answers });
  }
  for (const { query } of questions) {
    for (const word of query.split(" ")) synonyms[inOtherLetters(word)] ??= word;
  }
  return { documents, questions, synonyms };
}

function createBody({
  words,
  filler,
  below,
}: {
  words: readonly string[];
  filler: readonly string[];
  below: (below: number) => number;
}): string[] {
  const body = Array.from({ length: FILLER_WORDS }, () => filler[below(filler.length)]!);
  for (let count = 0; count < TOPIC_WORDS; count++) {
    // The first two are added to each document.
    body[below(body.length)] = words[2 + below(words.length - 2)]!;
  }
  return body;
}

const codeOf = (topic: number, nth: number): string =>
  `QX-${String(topic).padStart(4, "0")}-${String(nth).padStart(3, "0")}-K`;

/** Words in letters of which no document has a piece: they are found by meaning alone. */
export const inOtherLetters = (words: string): string =>
  words
    .replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(0x3_b1 + letter.charCodeAt(0) - 97))
    .replaceAll(/\d/g, (digit) => String.fromCodePoint(0x4_30 + Number(digit)));

/** A word with one mistake, of three sorts in turn, in one place after the other: another letter, none, or two swapped. */
function misspell(word: string, nth: number): string {
  const at = nth % (word.length - 1);
  const [before, one = "", other = "", after] = [
    word.slice(0, at),
    word[at],
    word[at + 1],
    word.slice(at + 2),
  ];
  const isSame = one === other;
  if (nth % 3 === 0 || isSame) return `${before}x${other}${after}`;
  return nth % 3 === 1 ? `${before}${other}${after}` : `${before}${other}${one}${after}`;
}

/** How many of the first ten that were found answer a question, of as many as could. */
export function recallAt10(found: readonly string[], { answers }: CorpusQuestion): number {
  const hits = new Set(found.slice(0, 10).filter((id) => answers.has(id))).size;
  return hits / Math.min(10, answers.size);
}
