import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveTitle, untitledMessage, type UntitledTurn } from "./titles.ts";

describe("deriveTitle", () => {
  it.each([
    ["a short message", "Hello there", "Hello there"],
    ["white space", "  one\n\ttwo   three ", "one two three"],
    ["nothing to see", " \n ", "New conversation"],
    ["80 characters", "a".repeat(80), "a".repeat(80)],
    ["a long message", "word ".repeat(30), `${"word ".repeat(16).trim()}…`],
    ["one long word", "a".repeat(100), `${"a".repeat(79)}…`],
    ["a long word of wide characters", "\u{1F600}".repeat(60), `${"\u{1F600}".repeat(39)}…`],
    ["a word after much space", `${" ".repeat(999)}\u{1F600} x`, "New conversation"],
  ])("makes a title of %s", (_name, content, title) => {
    expect(deriveTitle(content)).toBe(title);
  });

  it("is one line of well-formed text, at most 80 characters, whatever the message", () => {
    const piece = fc.constantFrom("a", "word", " ", "\n", "\u{1F600}", "\uD83D", "\u00A0");
    const content = fc.array(piece, { maxLength: 120, size: "max" }).map((all) => all.join(""));
    fc.assert(
      fc.property(content, (message) => {
        const title = deriveTitle(message);
        expect(title.length).toBeGreaterThan(0);
        expect(title.length).toBeLessThanOrEqual(80);
        expect(title).not.toMatch(/[\n\r]/);
        expect(title.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("untitledMessage", () => {
  const file = { type: "content_fragment", rank: 0, content: "" };
  const first = { type: "user_message", rank: 1, content: "Hello there" };
  const answer = { type: "agent_message", rank: 2, content: "Hello." };
  const again = { type: "user_message", rank: 3, content: "Hello there" };
  const turn: UntitledTurn = {
    conversation: { title: "Hello there", visibility: "unlisted", depth: 0 },
    message: { rank: 2, version: 0 },
    history: [first],
  };

  it.each<[string, Partial<UntitledTurn>]>([
    ["the first message", {}],
    ["the first message after a file", { history: [file, first] }],
  ])("is %s", (_name, given) => {
    expect(untitledMessage({ ...turn, ...given })).toBe("Hello there");
  });

  it.each<[string, Partial<UntitledTurn>]>([
    [
      "a title of its own",
      { conversation: { title: "Greetings", visibility: "unlisted", depth: 0 } },
    ],
    [
      "a temporary conversation",
      { conversation: { title: "Hello there", visibility: "temporary", depth: 0 } },
    ],
    ["a task", { conversation: { title: "Hello there", visibility: "unlisted", depth: 1 } }],
    ["an answer that is tried again", { message: { rank: 2, version: 1 } }],
    ["a second agent's answer", { message: { rank: 3, version: 0 } }],
    [
      "a later message with the first one's words",
      { message: { rank: 4, version: 0 }, history: [first, answer, again] },
    ],
    ["nobody's message", { history: [file] }],
  ])("is none for %s", (_name, given) => {
    expect(untitledMessage({ ...turn, ...given })).toBeUndefined();
  });
});
