import { describe, expect, it } from "vitest";
import { oneLine, plain } from "./print.ts";

describe("what others wrote, on a terminal", () => {
  it.each([
    ["\u001b[2Jadmin\r\n", "[2Jadmin\n", "[2Jadmin"],
    ["ad\u200emin \u200fx\u061c", "admin x", "admin x"],
    ["ad\u200bmin\u2060\ufeff\u00ad", "admin", "admin"],
    ["ad\u200cmin\u200d \u200d", "admin ", "admin"],
    ["\u202egnp.exe\u202c \u2066x\u2069", "gnp.exe x", "gnp.exe x"],
    ["tag\u{e0041}\u{e007f}ged\u2063\u3164", "tagged", "tagged"],
    ["a\u2028b\u0000c", "abc", "a b c"],
    ["a\tb\nc", "a\tb\nc", "a b c"],
  ])("shows no mark of %j", (text, lines, line) => {
    expect([plain(text), oneLine(text)]).toEqual([lines, line]);
  });

  it.each([
    "👩\u200d👧 👍🏽 ❤\ufe0f\u200d🔥",
    "می\u200cخواهم",
    "क्\u200dष",
    "شكرا جزيلا",
    "ñ é 한국어",
  ])("leaves %s as it is written", (text) =>
    expect([plain(text), oneLine(text)]).toEqual([text, text]),
  );
});
