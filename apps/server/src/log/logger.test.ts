import { describe, expect, it } from "vitest";
import { pino } from "pino";
import { describeError, loggerOptions } from "./logger.ts";

describe("describeError", () => {
  it("names error, place and causes", () => {
    const cause = Object.assign(new Error("no connection"), { code: "ECONNREFUSED" });
    const described = describeError(new TypeError("it broke", { cause }));
    expect(described).toMatchObject({
      type: "TypeError",
      message: "it broke",
      stack: expect.stringContaining("logger.test.ts"),
      cause: { message: "no connection", code: "ECONNREFUSED" },
    });
  });

  it("hides the values of a failed query", () => {
    const failed = new Error(
      "Failed query: insert into t values ($1)\nparams: a secret\nin two lines",
    );
    const described = JSON.stringify(describeError(new Error("x", { cause: failed })));
    expect(described).toContain("insert into t values ($1)");
    expect(described).not.toContain("secret");
    expect(described).not.toContain("two lines");
    expect(described).toContain("logger.test.ts");
  });

  it("ends at circular causes", () => {
    const error = new Error("round");
    error.cause = error;
    expect(JSON.stringify(describeError(error)).length).toBeLessThan(20_000);
  });

  it("gives only the type of a value that is not an error", () => {
    expect(describeError("a secret")).toEqual({ message: "Not an error: string" });
  });
});

describe("loggerOptions", () => {
  it("hides keys and requests of libraries in every line", () => {
    const lines: string[] = [];
    const logger = pino(loggerOptions("trace"), { write: (line) => void lines.push(line) });
    logger.info({ authorization: "Bearer sk-abc.DEF_1~2+3/4==" }, "a key: sk-secret-one");
    logger.trace({ busboyOptions: { headers: { cookie: "hidden" } } }, "parsing");
    logger.warn({ req: { url: "/?q=hidden" }, res: { headers: "hidden" } }, "failed");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(lines.join("")).not.toMatch(/sk-(?!\(not logged\))|abc|secret|hidden/);
    expect(lines[0]).toContain("a key: sk-(not logged)");
  });
});
