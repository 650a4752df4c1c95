import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type CreateSandboxFunction, Program } from "@parley/schema";
import { expect, it, onTestFinished } from "vitest";
import { filesOfProgram } from "./function-members.ts";
import { type FunctionFolder, readFunctionFolder } from "./read-function-folder.ts";
import { writeFunctionFolder } from "./write-function-folder.ts";

const functionOf = (
  given: object,
  members: Partial<CreateSandboxFunction> = {},
): FunctionFolder => {
  const program = Program.parse(given);
  const definition = {
    description: "Does",
    inputSchema: {},
    outputSchema: { type: "object" },
    retryable: false,
    requiresApproval: true,
    timeoutMs: 60_000,
    maxOutputBytes: 262_144,
    maxLogLines: 1000,
    maxConcurrent: 3,
    ...members,
    program,
  } as FunctionFolder["definition"];
  return { slug: "one", files: filesOfProgram(program), definition };
};

const code = (source: Record<string, string>) => ({ type: "javascript", source, cpuMs: 20 });

it.each<[what: string, program: object, files: string[]]>([
  ["code", code({ "index.ts": "1", "a/b.ts": "2" }), ["a/b.ts", "function.json", "index.ts"]],
  ["tests that it imports", code({ "index.ts": "1", "a.test.ts": "2" }), ["function.json"]],
  ["names that are one", code({ "index.ts": "1", "A.ts": "2", "a.ts": "3" }), ["function.json"]],
  [
    "a file of its file's name",
    code({ "index.ts": "1", "function.json": "{}" }),
    ["function.json"],
  ],
  ["a mark at the start", code({ "index.ts": "\ufeff1" }), ["function.json"]],
  [
    "packages of npm",
    code({
      "index.ts": 'import "a";',
      "package.json": "{}",
      "node_modules/a/package.json": "{}",
      "node_modules/a/index.js": "\ufeff// A mark at the start stays.",
    }),
    [
      "function.json",
      "index.ts",
      "node_modules/a/index.js",
      "node_modules/a/package.json",
      "package.json",
    ],
  ],
  ["a package.json alone", code({ "index.ts": "1", "package.json": "{}" }), ["function.json"]],
  ["a behaviour", { type: "simulated", behaviour: { result: "$" } }, ["function.json"]],
  ["Python", { type: "e2b", language: "python", source: "x" }, ["function.json", "main.py"]],
  [
    "packages",
    { type: "e2b", language: "javascript", source: "x\n", template: "t" },
    ["function.json", "index.js"],
  ],
])("reads a function with %s as it was written", async (_what, program, files) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-function-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const given = functionOf(program);
  const written = writeFunctionFolder(given);
  expect(Object.keys(written).toSorted()).toEqual(files);
  for (const [file, text] of Object.entries(written)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  expect(await readFunctionFolder(folder)).toEqual(given);
});
