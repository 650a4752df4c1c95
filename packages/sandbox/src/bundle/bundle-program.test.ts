import { describe, expect, it } from "vitest";
import { bundleProgram } from "./bundle-program.ts";

const entry = "index.ts";

describe("bundling", () => {
  it("makes one module of TypeScript in several files", async () => {
    const answer = await bundleProgram({
      [entry]: `import { add } from "./lib/add.js";\nimport data from "./data.json";\nenum Kind { A }\nexport default (input: { a: number }): number => add(input.a, data.b) + Kind.A;\n`,
      "lib/add.ts": `export const add = (a: number, b: number): number => a + b;\nexport const unused = 1;\n`,
      "data.json": `{"b": 2}`,
    });
    if (!("bundle" in answer)) throw new Error(JSON.stringify(answer));
    const { code, map } = answer.bundle;
    expect(code).not.toContain("import");
    expect(code).not.toContain("number");
    expect(JSON.parse(map)).toMatchObject({ sources: ["lib/add.ts", "data.json", entry] });
    const url = `data:text/javascript,${encodeURIComponent(code)}`;
    const { default: run } = (await import(url)) as { default: (input: object) => number };
    expect(run({ a: 1 })).toBe(3);
  });

  it.each([
    ["no export", "const run = () => 1;\nrun();\n"],
    ["only named exports", "export const run = () => 1;\n"],
  ])("refuses an entry with %s, which could never run", async (_name, source) => {
    const message = expect.stringContaining("no default export") as string;
    expect(await bundleProgram({ [entry]: source })).toMatchObject({
      faults: [{ file: entry, message }],
    });
  });

  it.each([
    ["a syntax error", "const a = 1;\nexport default (;\n", { line: 2, column: 17 }],
    ["an error after other letters", "const ää = (;\n", { line: 1, column: 13 }],
    ["a package", 'import fs from "fs";\nfs();\n', { line: 1, message: /"fs" is not a file/ }],
    ["a package of Node", 'import "node:child_process";\n', { line: 1, message: /is not a file/ }],
    ["a file that is not there", 'import "./a.ts";\n', { line: 1, message: /no file ".\/a.ts"/ }],
    ["a file above", 'import "../../etc/passwd";\n', { line: 1, message: /has no file/ }],
    ["a file of the machine", 'import "/etc/passwd";\n', { line: 1, message: /is not a file/ }],
    ["a URL", 'import "https://example.com/a.js";\n', { line: 1, message: /is not a file/ }],
  ])("says where there is %s", async (_name, source, expected) => {
    const { message = /./, ...place } = expected as { message?: RegExp };
    const answer = await bundleProgram({ [entry]: source });
    expect(answer).toMatchObject({
      faults: [{ file: entry, ...place, message: expect.stringMatching(message) as string }],
    });
    const [fault] = "faults" in answer ? answer.faults : [];
    expect(fault?.sourceLine).toBe(source.split("\n")[(fault?.line ?? 0) - 1]);
  });

  it("refuses what has no entry, what becomes too large, and what takes too long", async () => {
    const large = `export default ${JSON.stringify("x".repeat(10_000))};`;
    const answers = await Promise.all([
      bundleProgram({ "main.ts": "" }),
      bundleProgram({ [entry]: large }, { maxBundleBytes: 5000 }),
      bundleProgram({ [entry]: "export default 1" }, { timeoutMs: 1 }),
    ]);
    expect(answers).toMatchObject([
      { faults: [{ message: expect.stringContaining("must have index.ts") as string }] },
      { faults: [{ message: expect.stringContaining("at most 5000 bytes") as string }] },
      { faults: [{ message: expect.stringContaining("longer than 1 ms") as string }] },
    ]);
  });
});
