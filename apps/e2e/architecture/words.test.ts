import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../server.ts";

/** Words that readers stumbled over, with what to write instead. Each has no other meaning in our texts. */
const words: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b[Tt]hrows (?:`\w+` )?where\b/, "throws … if"],
  [/\b(?:[Uu]ndefined|[Nn]ull|[Ff]alse) where (?:it|they|there|the|no|none|a)\b/, "… if"],
  [/\b[Ww]here that is (?:meant|so|wanted|asked|allowed|installed|known|safe)\b/, "if …"],
  [/\bis of no\b/, "does not belong to a, has no"],
  [/(?<![Tt]here )\b(?:is|was) no [a-z]+ (?:of|that|which)\b/, "is not a"],
  [/(?<![Tt]here )\bis no (?:file|folder|link|path|terminal|number)\b/, "is not a"],
  [/\banew\b/, "again, or a verb with re-"],
  [/\bwas (?:deleted|changed|replaced|released|removed) meanwhile\b/, "in the meantime"],
  [/\bmay be repeated, and\b|\bstands for none\b/, "repeatable"],
  [/\bthere is no such member\b/, "unknown field"],
  [/\bAdd --yes where\b|\bit takes what to\b/, "say what to do"],
];

test("texts use the field's words, in plain English", () => {
  const files = globSync("{README.md,docs/**/*.md,{apps,packages}/*/**/*.{ts,tsx,md}}", {
    cwd: root,
    exclude: (name) => /^(?:node_modules|dist)$/.test(path.basename(name)),
  });
  expect(files.length).toBeGreaterThan(1000);
  const found = files
    .filter((file) => !file.endsWith("words.test.ts"))
    .flatMap((file) =>
      readFileSync(path.join(root, file), "utf8")
        .split("\n")
        .flatMap((line, index) =>
          words.flatMap(([pattern, instead]) => {
            const [match] = pattern.exec(line) ?? [];
            return match === undefined
              ? []
              : [`${file}:${index + 1}: "${match}": write ${instead}`];
          }),
        ),
    );
  expect(found).toEqual([]);
});
