import { beforeAll, expect, test } from "vitest";
import { createTypeService, type TypeService } from "./type-service.ts";

let types: TypeService;
beforeAll(() => {
  types = createTypeService();
});

const template = `import type { Context } from "./context.d.ts";

export default async function greet({ name }: { name: string }, context: Context) {
  context.log("info", \`Greeting \${name}\`);
  return { greeting: \`Hello, \${name}!\` };
}
`;

const messagesOf = (files: Record<string, string>, path = "index.ts") =>
  types
    .findProblems(files, path)
    .map(({ line, message, severity }) => `${severity} ${line} ${message}`);

test.for([
  ["what init writes", { "index.ts": template }],
  ["plain functions", { "index.ts": "export default (input) => ({ sum: input.a + input.b });" }],
  [
    "what the world has",
    {
      "index.ts":
        "console.log(new URL('a', 'b:/').href, btoa('a'), (1).toLocaleString(), performance.now());",
    },
  ],
  ["the language of 2023", { "index.ts": "export default () => [1, 2].toSorted().at(-1);" }],
  [
    "other files",
    {
      "index.ts":
        'import { two } from "./lib/two.ts"; import a from "./a.json"; import t from "./t.txt"; export default () => [two.toFixed(), a.b.toFixed(), t.trim()];',
      "lib/two.ts": "export const two = 2;",
      "a.json": '{ "b": 1 }',
      "t.txt": "text",
    },
  ],
] as const)("accepts %s", ([, files]) => {
  expect(messagesOf(files)).toEqual([]);
});

test("finds errors of the grammar and warnings of the types, at their lines", () => {
  expect(messagesOf({ "index.ts": "const a = 1;\nconst = 2;" })[0]).toMatch(/^error 2 /);
  const wrong = template.replace('"info"', '"loud"').replace("${name}!", "${nobody}!");
  const [first, second] = messagesOf({ "index.ts": wrong });
  expect(first).toMatch(/^warning 4 .*"loud"/);
  expect(second).toBe("warning 5 Cannot find name 'nobody'.");
});

test.for([
  "document.title",
  "process.cwd()",
  'import("node:fs")',
  "fetch('a')",
  "new Intl.NumberFormat()",
  "Atomics.load",
])("knows that there is no %s", (code) => {
  expect(messagesOf({ "index.ts": `export default () => ${code};` })).not.toEqual([]);
});

test("checks JavaScript too, and changed files", () => {
  expect(messagesOf({ "index.js": "export default () => 'a'.nothing();" }, "index.js")).toEqual([
    "warning 1 Property 'nothing' does not exist on type '\"a\"'.",
  ]);
  expect(messagesOf({ "index.js": "export default () => 'a'.trim();" }, "index.js")).toEqual([]);
});

test("suggests the members of the context", () => {
  const at = template.indexOf("context.log") + "context.".length;
  const labels = types.suggest({ "index.ts": template }, "index.ts", at).map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(["fetch", "invocation", "log", "progress"]));
});
