import { expect, test } from "vitest";
import { markdownBlocks } from "./markdown-blocks.ts";

const fence = "```";

test.for([
  ["paragraphs", "a\nb\n\nc", ["a\nb\n", "c"]],
  ["several blank lines", "a\n\n\nb", ["a\n\n", "b"]],
  ["a heading and a paragraph", "# a\n\nb", ["# a\n", "b"]],
  [
    "a fence with blank lines in it",
    `${fence}ts\na\n\nb\n${fence}\n\nc`,
    [`${fence}ts\na\n\nb\n${fence}\n`, "c"],
  ],
  ["a fence that is still open", `a\n\n${fence}\nb\n\nc`, ["a\n", `${fence}\nb\n\nc`]],
  [
    "a longer fence, with a shorter one in it",
    `${fence}\`\na\n${fence}\n\nb\n${fence}\`\n\nc`,
    [`${fence}\`\na\n${fence}\n\nb\n${fence}\`\n`, "c"],
  ],
  ["a list whose items are apart", "1. a\n\n2. b\n\nc", ["1. a\n\n2. b\n", "c"]],
  ["an item with a part below it", "- a\n\n  b\n\nc", ["- a\n\n  b\n", "c"]],
  ["definitions, which others refer to", "[a][1]\n\n[1]: /b", ["[a][1]\n\n[1]: /b"]],
  ["nothing", "", [""]],
] as const)("splits %s", ([, text, blocks]) => {
  expect(markdownBlocks(text)).toEqual(blocks);
  expect(markdownBlocks(text).join("\n")).toBe(text);
});

test("keeps the finished blocks of a text that grows", () => {
  const text = "# a\n\nOne\n\n- x\n- y\n\nTwo";
  const whole = markdownBlocks(text);
  for (let end = 1; end <= text.length; end++) {
    const grown = markdownBlocks(text.slice(0, end));
    expect(whole.slice(0, grown.length - 1)).toEqual(grown.slice(0, -1));
  }
});
