import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { leave, openChat } from "./open-chat.ts";
import type { Terminal, TerminalOptions } from "./terminal.ts";

const answer = `# About shoes

Shoes are **worn** on _feet_, and \`boots\` on [wet days](http://shop.example/boots) too, 
as is said in this sentence of some length.

1. one
2. 二つの靴
   - nested

\`\`\`ts
const size: number = 42; // of a shoe
\`\`\`

| shoe | price | what is said about it |
| :--- | ----: | --- |
| 靴 | 100 | It is worn by many people on many days |
| boot | 9 | Warm |

The end.`;

const hostile = [
  "\u001B]0;hacked\u0007\u001B]8;;http://evil.example\u0007[bank](http://evil.example)\u001B]8;;\u0007",
  "\u001B[2J\u001B[H\u001B[?1049h\u009B2Jcleared? &#13;over &#27;[2J",
  "```\u001B[1A\nCode \u001B[31m\b\b\b\u0007 \u202Eesrever\n```",
  "The end.",
].join("\n\n");

/** What the program itself may write: styles, and moves of the cursor within its last lines. */
const OWN = new RegExp(String.raw`\u{1B}\[(?:\d+m|\?(?:25|2004|2026)[hl]|\d*[AGJKCD])`, "gu");
const OTHERS = new RegExp(String.raw`[\u{1B}\u{7}\u{8}\u{9B}\u{9D}\u{202E}]`, "u");

describe("an answer on a terminal", () => {
  const server = shareServer();
  const calls = createCalls(server);
  /** The lines of an answer, once it is whole. */
  const show = async (
    name: string,
    { text, tokenDelayMs = 1 }: { text: string; tokenDelayMs?: number },
    options: TerminalOptions & { meanwhile?: (terminal: Terminal) => Promise<void> } = {},
  ) => {
    await calls.createAgent(name, { steps: [{ text }], tokenDelayMs });
    const terminal = await openChat(server(), [name], options);
    await terminal.waitFor(`${name}>`);
    terminal.write("Go\r");
    await options.meanwhile?.(terminal);
    const whole = new RegExp(String.raw`> Go\n\n([^]*)\n\n${name}>$`);
    const [, lines = ""] = whole.exec(await terminal.waitFor(whole, 30_000)) ?? [];
    await leave(terminal);
    return { lines, terminal };
  };

  it("has headings, lists, code and tables that fit it", async () => {
    const { lines, terminal } = await show("Wide", { text: answer }, { columns: 60, rows: 50 });
    expect(lines).toBe(`About shoes

Shoes are worn on feet, and boots on wet days
(http://shop.example/boots) too,
as is said in this sentence of some length.

1. one
2. 二つの靴
   • nested

╭─ ts ─────────────────────────────────────────────────────
const size: number = 42; // of a shoe
╰──────────────────────────────────────────────────────────

shoe │ price │ what is said about it
─────┼───────┼───────────────────────────────────────
靴   │   100 │ It is worn by many people on many days
boot │     9 │ Warm

The end.`);
    const written = terminal.written();
    for (const styled of ["[1mworn", "[3mfeet", "[36mboots", "[35mconst"]) {
      expect(written).toContain(`\u001B${styled}`);
    }
  });

  it("fits a narrow one, and keeps the marks if there are no colours", async () => {
    const options = { columns: 24, rows: 50, settings: { NO_COLOR: "1" } };
    const { lines, terminal } = await show("Narrow", { text: answer }, options);
    expect(lines).toContain("# About shoes\n\nShoes are **worn** on\n*feet*, and `boots` on\n");
    expect(lines).toContain(
      "\nshoe │ price │ what is\n     │       │ said\n     │       │ about it\n",
    );
    expect(terminal.written()).not.toMatch(new RegExp(String.raw`\u{1B}\[\d*m`, "u"));
  });

  it("cannot do anything to the terminal, or hide where a link leads", async () => {
    const { lines, terminal } = await show("Hostile", { text: hostile });
    expect(lines).toContain("bank (http://evil.example)");
    expect(lines).toContain("cleared? over \uFFFD[2J");
    expect(terminal.written().replaceAll(OWN, "")).not.toMatch(OTHERS);
  });

  const code = Array.from({ length: 60 }, (_line, index) => `const line${index} = "${index}";`);
  const long = `Before\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\n\nAfter`;

  it("has each line of a block once that is higher than it, and never changes what scrolled off", async () => {
    const scrolled: string[] = [];
    const { lines, terminal } = await show(
      "Long",
      { text: long, tokenDelayMs: 2 },
      {
        rows: 12,
        meanwhile: async (live) => {
          for (let line = 5; line < 60; line += 5) {
            await live.waitFor(`const line${line} =`);
            const all = live.scrollback();
            scrolled.push(all.slice(0, all.length - live.screen().length));
          }
        },
      },
    );
    expect(lines.split("\n").filter((line) => line.startsWith("const"))).toEqual(code);
    expect(lines).toMatch(/^Before\n\n╭─ ts ─+\nconst line0 /);
    expect(lines).toMatch(/"59";\n╰─+\n\nAfter$/);
    const whole = terminal.scrollback();
    for (const part of scrolled) expect(whole.startsWith(part)).toBe(true);
    expect(scrolled.at(-1)?.length).toBeGreaterThan(500);
  });

  it("leaves nothing behind if the terminal changes its size in the meantime", async () => {
    const words = Array.from({ length: 120 }, (_word, index) => `w${index}`);
    const { lines } = await show(
      "Resized",
      // A word that is on its way while the size changes is drawn for the size before.
      { text: words.join(" "), tokenDelayMs: 40 },
      {
        columns: 70,
        rows: 30,
        meanwhile: async (terminal) => {
          await terminal.waitFor("w40");
          terminal.resize(31, 30);
          await terminal.waitFor("w80");
          terminal.resize(50, 30);
        },
      },
    );
    expect(lines.split(/\s+/)).toEqual(words);
  });
});
