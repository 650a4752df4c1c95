import { pino } from "pino";
import { expect, it } from "vitest";
import { loggerOptions } from "./logger.ts";
import { renderLogLine } from "./render-log-line.ts";

/** What a terminal shows of what `write` logs. */
function show(write: (logger: pino.Logger) => void): string {
  let shown = "";
  write(pino(loggerOptions("trace"), { write: (line) => void (shown += renderLogLine(line)) }));
  return shown;
}

it("is the time of day, the level, the message and its members", () => {
  const shown = show((logger) => logger.warn({ port: 3000, name: "a b", more: [1] }, "It runs"));
  expect(shown).toMatch(/^\d\d:\d\d:\d\d warn  It runs port=3000 name=a b more=\[1\]\n$/);
});

it("has a text of several lines below the message", () => {
  const shown = show((logger) => logger.error({ output: "one\ntwo\n", code: 1 }, "It failed"));
  expect(shown.slice(9)).toBe("error It failed code=1\n  output: one\n    two\n");
});

it("has an error with its place, its code and its causes", () => {
  const cause = Object.assign(new Error("no connection"), { code: "ECONNREFUSED" });
  const shown = show((logger) => logger.error({ err: new TypeError("it broke", { cause }) }, "x"));
  expect(shown).toMatch(
    /^\S+ error x\n {2}err: TypeError: it broke\n {8}at .*render-log-line.test/,
  );
  expect(shown).toMatch(/\n {4}caused by: Error: no connection\n/);
  expect(shown).toMatch(/\n {4}code: ECONNREFUSED\n$/);
});

it("moves no cursor, and cannot be taken for two lines", () => {
  const shown = show((logger) =>
    logger.info({ a: "\u001b[2Jx", b: "1\n\u001b[2J2" }, "1\n2\u001b[1A"),
  );
  expect(shown.slice(9)).toBe("info  1 2 [1A a=[2Jx\n  b: 1\n    [2J2\n");
});

it("hides keys as the log does", () => {
  expect(show((logger) => logger.info("a key: sk-secret-one"))).toContain("sk-(not logged)");
});
