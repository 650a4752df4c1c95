import { expect, it } from "vitest";
import { eventTemplate, templateOf, withNumber } from "./json-templates.ts";

const texts = ["", "word ", 'a "quoted" \\ text', "é😀", "line\nend\u2028", "$& $1", "\0"];

it.each(texts)("encodes %j as JSON.stringify does", (text) => {
  const make = (content: string) => ({ model: "m", choices: [{ delta: { content } }], end: null });
  expect(templateOf(make)(text)).toBe(JSON.stringify(make(text)));
});

it.each(texts)("numbers an event of %j as it numbers its members", (delta) => {
  const type = "text.delta";
  const membersOf = (text: string) => ({ id: "msg_1", delta: text, logprobs: [] });
  const expected = JSON.stringify({ type, number: 7, ...membersOf(delta) });
  expect(withNumber(eventTemplate(type, membersOf)(delta), "number", 7)).toBe(expected);
  expect(withNumber({ type, ...membersOf(delta) }, "number", 7)).toBe(expected);
});

it("numbers an event without other members", () => {
  expect(withNumber({ type: "text.end" }, "number", 0)).toBe('{"type":"text.end","number":0}');
});
