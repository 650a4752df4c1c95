import { expect, test } from "vitest";
import { longConversation, needleKinds, needles, shareIn } from "./needles.ts";

test("each needle is said once, and none in the newest messages", () => {
  const messages = longConversation(420);
  expect(messages).toHaveLength(420);
  for (const { key, sentence } of needles) {
    expect(messages.filter((text) => text.includes(key))).toHaveLength(1);
    expect(messages.slice(0, 380).join("\n")).toContain(sentence);
  }
  expect(new Set(needles.map(({ key }) => key)).size).toBe(70);
});

test("scores what a text has of a kind", () => {
  const all = longConversation(420).join("\n");
  for (const kind of needleKinds) expect(shareIn(all.toUpperCase(), kind)).toBe(1);
  expect(shareIn("INV-2031-1009 and INV-2031-1046, INV-2031-1047", "identifiers")).toBe(2 / 40);
  expect(shareIn("", "decisions")).toBe(0);
});
