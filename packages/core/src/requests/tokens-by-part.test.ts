import { expect, it } from "vitest";
import { tokensByPart } from "./tokens-by-part.ts";

it.each([
  [{ instructions: 400, messages: 400 }, 100, { instructions: 50, messages: 50 }],
  [{ messages: 400, instructions: 0 }, null, { messages: 100 }],
  // Of files, the tokens are estimated.
  [{ messages: 400, files: 300 }, 800, { messages: 200, files: 600 }],
  [{ messages: 4, tools: 40_000 }, 10, { tools: 10, messages: 0 }],
  [{}, 10, {}],
])("divides %j of %j tokens", (parts, counted, expected) => {
  const divided = tokensByPart(parts, counted);
  expect(Object.fromEntries(divided.map(({ part, tokens }) => [part, tokens]))).toEqual(expected);
});
