import { expect, it } from "vitest";
import { lastLine } from "./run-program.ts";

it.each([
  ["the error", "creating files ... initdb: error: no room\ninitdb: removing contents\n", 0],
  ["the last of several", "LOG:  x\nFATAL:  a\nFATAL:  b\nLOG:  shut down\n", 2],
  ["what made the others", "FATAL:  x: No space left on device\nPANIC:  broken\n", 0],
  ["the last line where none is one", "one\ntwo\n\n", 1],
  ["nothing of nothing", "", 0],
])("of what a program says, tells %s", (_name, text, index) => {
  expect(lastLine(text)).toBe(text.split("\n")[index]);
});
