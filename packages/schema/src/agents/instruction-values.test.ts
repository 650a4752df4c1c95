import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  escapeInstructions,
  type InstructionPiece,
  namedValues,
  splitInstructions,
  valueNames,
} from "./instruction-values.ts";
import { Instructions } from "./instructions.ts";

/** Pieces as instructions that name them. */
const write = (pieces: readonly InstructionPiece[]): string =>
  pieces
    .map((piece) => ("value" in piece ? `{{${piece.value}}}` : escapeInstructions(piece.text)))
    .join("");

const braced = fc.string({ unit: fc.constantFrom("{", "}", "a", "\n", "é", "😀") });
const text = fc
  .oneof(fc.string({ unit: "grapheme" }), braced)
  // A brace before a value would open it one character earlier.
  .filter((value) => value !== "" && !value.endsWith("{"))
  .map((value) => ({ text: value }));
const value = fc.constantFrom(...valueNames).map((name) => ({ value: name }));
/** Pieces of which no two texts are neighbours. */
const pieces = fc
  .array(fc.tuple(fc.option(text, { nil: undefined }), value))
  .chain((pairs) => fc.tuple(fc.constant(pairs), fc.option(text, { nil: undefined })))
  .map(([pairs, last]) => [...pairs.flat(), last].filter((piece) => piece !== undefined));

describe("instructions with values", () => {
  it("are read as they were written, whatever braces their texts have", () => {
    fc.assert(
      fc.property(pieces, (given) => {
        expect(splitInstructions(write(given))).toEqual(given);
      }),
    );
  });

  it("escape any text, so that it says itself and names nothing", () => {
    fc.assert(
      fc.property(braced, (said) => {
        const escaped = escapeInstructions(said);
        expect(splitInstructions(escaped)).toEqual(said === "" ? [] : [{ text: said }]);
        expect(namedValues(escaped)).toEqual([]);
      }),
    );
  });

  it("are refused or read, and lose no character", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("{", "}", "{{", "}}", "now", " ", "x", "user.name")),
        (parts) => {
          const given = parts.join("");
          const split = splitInstructions(given);
          expect(Instructions.safeParse(given).success).toBe(Array.isArray(split));
          if (!Array.isArray(split)) return;
          const spaces = /\{\{\s*(now|user\.name)\s*\}\}/g;
          expect(write(split).replaceAll(spaces, "{{$1}}")).toBe(
            given.replaceAll(spaces, "{{$1}}"),
          );
        },
      ),
    );
  });

  it.each([
    ["Hello {{user.nmae}}", 'line 1, column 7: "user.nmae" is not the name of a value.'],
    ["It is\n{{now", "line 2, column 1: {{ has no }} after it."],
    ["{{}}", 'line 1, column 1: "" is not the name of a value.'],
    ["a {{{now}}}", 'line 1, column 3: "{now" is not the name of a value.'],
    ["{{NOW}}", 'line 1, column 1: "NOW" is not the name of a value.'],
  ])("are refused for %j with the place, what is wrong and what would be right", (given, why) => {
    const values = "now, user.name, user.email, workspace.name, conversation.id";
    const { error } = Instructions.safeParse(given);
    expect(error?.issues.map(({ message }) => message)).toEqual([
      `${why} Values are ${values}; write {{{{ for {{ as text`,
    ]);
  });

  it.each(["", "No braces", "{ one } }}", "{{ now }}, {{{{now}}, {{user.email}}"])(
    "are accepted as %j",
    (given) => {
      expect(Instructions.parse(given)).toBe(given);
    },
  );

  it("keep an error short, however long the name", () => {
    const { error } = Instructions.safeParse(`{{${"x".repeat(10_000)}}}`);
    expect(error?.issues[0]?.message.length).toBeLessThan(300);
  });
});
