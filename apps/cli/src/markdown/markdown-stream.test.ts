import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { createMarkdownStream } from "./markdown-stream.ts";
import { colourful, colourless } from "./theme.ts";

/** A sequence that styles what follows it. */
const STYLE = new RegExp(String.raw`\u{1b}\[\d+m`, "gu");

const render = (source: string, width = 40, theme = colourless): string[] => {
  const stream = createMarkdownStream();
  stream.add(source);
  return stream.end({ theme, width }).flat();
};

describe("Markdown on a terminal", () => {
  const cases: [what: string, source: string, lines: string[]][] = [
    ["headings", "## A *title*", ["## A *title*"]],
    ["styles", "**a** _b_ ~~c~~ `d`", ["**a** *b* ~~c~~ `d`"]],
    ["line breaks", "one\ntwo", ["one", "two"]],
    ["lists", "- a\n- b\n  1. c\n  2. d", ["• a", "• b", "  1. c", "  2. d"]],
    ["loose lists", "1. a\n\n   more\n2. b", ["1. a", "", "   more", "", "2. b"]],
    ["tasks", "- [x] done", ["• [x] done"]],
    ["quotes", "> a\n>\n> b", ["│ a", "│", "│ b"]],
    ["HTML, as it was written", "<b>a</b>", ["<b>a</b>"]],
    ["links, with where they lead", "[bank](http://evil.example)", ["bank (http://evil.example)"]],
    ["URLs once", "<http://a.example>", ["http://a.example"]],
    ["images", "![cat](http://a.example/c.png)", ["[cat] (http://a.example/c.png)"]],
  ];
  it.each(cases)("shows %s", (_what, source, lines) => {
    expect(render(source)).toEqual(lines);
  });

  it("frames code, and keeps its lines for copying", () => {
    expect(render("```ts\nconst a = 1;\n\n\tb\n```", 20)).toEqual([
      "╭─ ts ──────────────",
      "const a = 1;",
      "",
      "    b",
      "╰───────────────────",
    ]);
  });

  it("colours code of languages that it knows, and closes each colour in its line", () => {
    const [, ...lines] = render("```ts\n/* a\nb */ const\n```", 20, colourful);
    expect(lines[0]).toBe("\u001b[2m/* a\u001b[22m");
    expect(lines[1]).toBe("\u001b[2mb */\u001b[22m \u001b[35mconst\u001b[39m");
    expect(render("```none\nconst\n```", 20, colourful)[1]).toBe("const");
  });

  const table =
    "| name | price |\n| --- | ---: |\n| 靴 boots | 10 |\n| sandals that are long | 9 |";
  it("aligns tables, also of wide characters", () => {
    expect(render(table)).toEqual([
      "name                  │ price",
      "──────────────────────┼──────",
      "靴 boots              │    10",
      "sandals that are long │     9",
    ]);
  });

  it("wraps cells if a table is too wide, and lists them if it has too many columns", () => {
    expect(render(table, 19)).toEqual([
      "name        │ price",
      "────────────┼──────",
      "靴 boots    │    10",
      "sandals     │     9",
      "that are    │",
      "long        │",
    ]);
    expect(render(table, 12)).toEqual([
      "**name**: 靴",
      "boots",
      "**price**:",
      "10",
      "",
      "**name**:",
      "sandals that",
      "are long",
      "**price**: 9",
    ]);
  });

  it("lets nothing through that moves the cursor or turns the order of text", () => {
    const hostile = [
      "\u001b]8;;http://evil.example\u0007bank\u001b]8;;\u0007",
      "&#27;[2J &#13;over &#x9b;31m &#0; a&#12;b&Tab;c&NewLine;d",
      "[a&#13;b](<http://a.example/\u001b[2J&#13;> 'c\u001b')",
      "`\u009b2J` ![\u0007](x\u0008y)",
      "```\u001b[2J\n\u001b[2J\r\u0008\n```",
      "| \u001b[2J | &#13; |\n| --- | --- |\n| \u009d | \u0085 |",
      "\u202egnitirw\u202c \u2066x\u2069",
      "1. \u001bc\n> \u001b[?1049h",
    ].join("\n\n");
    const lines = render(hostile, 60);
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u);
    for (const line of render(hostile, 60, colourful)) {
      // Nothing but styles.
      expect(line.replaceAll(STYLE, "")).not.toMatch(/\p{Cc}/u);
    }
  });

  const words = fc.array(
    fc.constantFrom(
      ..."# |- > \n ` ``` ** _ ~~ [a](b) 1. \t 長い漢字 👩‍👩‍👧 &#13; \u001b[2J | --- | word longerword".split(
        " ",
      ),
      "\n",
      "\n\n",
      "| a | b |\n| - | - |\n",
      "```\n",
      "    ",
    ),
    { maxLength: 60 },
  );

  it("has no line that is wider than the terminal, whatever it is given", () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 16, max: 90 }), (parts, width) => {
        for (const line of render(parts.join(" "), width, colourful)) {
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          expect(stripVTControlCharacters(line)).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });

  it("shows the same, however the text is cut while it is written", () => {
    fc.assert(
      fc.property(words, (parts) => {
        const stream = createMarkdownStream();
        const rendering = { theme: colourless, width: 40 };
        const blocks: (readonly string[])[] = [];
        for (const part of parts) {
          stream.add(part);
          blocks.push(...stream.take(rendering).finished);
        }
        blocks.push(...stream.end(rendering));
        const whole = createMarkdownStream();
        whole.add(parts.join(""));
        expect(blocks).toEqual(whole.end(rendering));
      }),
    );
  });
});
