import { describe, expect, it } from "vitest";
import { divideText } from "./divide-text.ts";
import { languageOf } from "./languages.ts";
import { gramsOf, gramTerms, piecesOf } from "./grams.ts";

const paragraph = (nth: number) =>
  `Paragraph ${nth} says what is of number ${nth}. ${"It goes on for a while. ".repeat(6)}`.trim();
const long = Array.from({ length: 60 }, (_, nth) => paragraph(nth)).join("\n\n");

describe("divideText", () => {
  it("keeps sections apart, with the headings around them", () => {
    const parts = divideText("Intro\n\n# A\n\none\n\n## B\ntwo\n\n# C\nthree\n");
    expect(parts.map(({ headings, content }) => [headings, content])).toEqual([
      [[], "Intro"],
      [["A"], "# A\n\none"],
      [["A", "B"], "## B\ntwo"],
      [["C"], "# C\nthree"],
    ]);
  });

  it("takes no heading from a block of code, and keeps that together", () => {
    const code = "```sh\n# not a heading\n\nls\n```";
    const parts = divideText(`# Use\n\n${code}\n\nafter`);
    expect(parts.map(({ headings }) => headings)).toEqual([["Use"]]);
    expect(parts[0]?.content).toContain(code);
  });

  it("covers all of a text in parts of bounded length, each with the end of the one before", () => {
    const parts = divideText(long);
    expect(parts.length).toBeGreaterThan(5);
    for (const [nth, { start, end, content }] of parts.entries()) {
      expect(content).toBe(long.slice(start, end));
      expect(content.length).toBeLessThanOrEqual(1800);
      // The first begins with the text.
      expect(start).toBeLessThan(parts[nth - 1]?.end ?? 1);
    }
    expect(parts.at(-1)?.end).toBe(long.length);
    expect(parts.map(({ position }) => position)).toEqual(parts.map((_, nth) => nth));
  });

  it("changes few parts with a small change, and no id twice", () => {
    const before = divideText(long);
    const after = divideText(long.replace("Paragraph 7 says", "Paragraph seven now also says"));
    const ids = new Set(before.map(({ partId }) => partId));
    expect(ids.size).toBe(before.length);
    expect(after.filter(({ partId }) => !ids.has(partId)).length).toBeLessThanOrEqual(4);
    const same = divideText("# A\nx\n\n# A\nx");
    expect(new Set(same.map(({ partId }) => partId)).size).toBe(2);
  });

  it.each(["", " \n\n ", "\n"])("gives none of the blank text %j", (text) => {
    expect(divideText(text)).toEqual([]);
  });

  it("breaks a long text without any spaces, and no character in two", () => {
    const text = "😀".repeat(2000);
    const parts = divideText(text);
    expect(parts.every(({ content }) => content.isWellFormed())).toBe(true);
    expect(parts.map(({ content }) => content).join("")).toBe(text);
  });
});

describe("languageOf", () => {
  it.each([
    ["The opening hours of the shop are on the door", [], "english"],
    ["Die Öffnungszeiten des Ladens stehen an der Tür und im Netz", [], "german"],
    ["Les heures d'ouverture sont sur la porte et dans le journal", [], "french"],
    ["Часы работы магазина указаны на двери", [], "russian"],
    ["営業時間はドアに書いてあります", [], "simple"],
    ["AB-1234 XY-99", [], "simple"],
    ["AB-1234 XY-99", ["language:de"], "german"],
  ])("of %j with the tags %j is %s", (text, tags, language) => {
    expect(languageOf(text, tags)).toBe(language);
  });
});

describe("grams", () => {
  const finds = (query: string, text: string) => {
    const grams = new Set(gramsOf(text));
    return piecesOf(query)
      .flatMap(gramTerms)
      .some(({ ways }) =>
        ways.some((way) => way.length > 0 && way.every((gram) => grams.has(gram))),
      );
  };

  it.each([
    ["adress", "the address of the shop", true],
    ["addresz", "the address of the shop", true],
    ["zebra", "the address of the shop", false],
    ["AB1234", "part AB-1234-X", true],
    ["AB-1235", "part AB-1234-X", true],
    ["ZQ-9876", "part AB-1234-X", false],
    ["営業", "本日の営業時間", true],
    ["時", "本日の営業時間", true],
    ["犬", "本日の営業時間", false],
    ["เวลา", "เวลาเปิดทำการ", true],
    ["営業", "hours 営業時間 open", true],
  ])("of %j are in those of %j: %s", (query, text, isFound) => {
    expect(finds(query, text)).toBe(isFound);
  });
});
