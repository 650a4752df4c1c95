import { expect, it } from "vitest";
import { createCorpus, recallAt10 } from "./corpus.ts";

const corpus = createCorpus(6);

it("has fifty documents of a topic, each with its own id, and is the same each time", () => {
  expect(corpus.documents).toHaveLength(300);
  expect(new Set(corpus.documents.map(({ id }) => id)).size).toBe(300);
  expect(createCorpus(6)).toEqual(corpus);
});

it("names as answers exactly the documents that have what is asked for", () => {
  const flat = corpus.documents.map(({ id, text }) => ({
    id,
    words: text.toLowerCase(),
    code: text.replaceAll("-", "").toLowerCase(),
  }));
  const hasOtherWords = ({ kind }: (typeof corpus.questions)[number]) =>
    kind === "misspelt words" || kind === "synonyms";
  for (const { query } of corpus.questions.filter(hasOtherWords)) {
    const words = query.split(" ");
    expect(flat.some((one) => words.some((word) => one.words.includes(word)))).toBe(false);
  }
  const meant = corpus.questions.filter(({ kind }) => kind === "synonyms");
  expect(meant).toHaveLength(6);
  for (const { query, answers } of meant) {
    const words = query.split(" ").map((word) => corpus.synonyms[word]!);
    const having = flat.filter((one) => words.every((word) => one.words.includes(word)));
    expect(new Set(having.map(({ id }) => id))).toEqual(answers);
  }
  for (const { kind, query, answers } of corpus.questions.filter((one) => !hasOtherWords(one))) {
    const having = flat.filter(({ words, code }) =>
      kind === "codes"
        ? code.includes(query)
        : query.split(" ").every((word) => words.includes(word)),
    );
    expect(new Set(having.map(({ id }) => id))).toEqual(answers);
  }
});

it("measures how many of ten answer, once each", () => {
  const question = { kind: "words", query: "x", answers: new Set(["a", "b"]) } as const;
  expect(recallAt10(["a", "a", "c"], question)).toBe(0.5);
  expect(recallAt10(["b", "a"], question)).toBe(1);
  expect(recallAt10([], question)).toBe(0);
});
