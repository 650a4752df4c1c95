import { expect, test } from "vitest";
import { emptyDraft } from "./draft.ts";
import { faultsOf } from "./faults.ts";

const draft = {
  ...emptyDraft,
  files: { "index.ts": "const a = 1;\nconst x = } | 2;" },
  inputSchema: '{\n  "type": "text"\n}',
  behaviour: '{\n  "steps": [\n    { "at": -1 }\n  ]\n}',
};

test("puts errors of code at their lines, without the line that the server repeats", () => {
  const message = 'index.ts:2:11: Unexpected "}" | const x = } | 2;';
  const known = 'index.ts:2:11: Unexpected "}" | const x';
  const { files } = faultsOf(draft, [
    { path: "program.source", message },
    { path: "program.source", message: known },
    { path: "program.source", message: "other.ts:1:1: elsewhere" },
    { path: "program.source", message: "Bundling took longer than 10000 ms" },
  ]);
  const at = { line: 2, column: 11, severity: "error" };
  expect(files).toEqual({
    "index.ts": [
      { ...at, message: 'Unexpected "}"' },
      { ...at, message: 'Unexpected "}"' },
    ],
  });
});

test("puts errors of JSON at their lines", () => {
  const { texts, files } = faultsOf(draft, [
    { path: "inputSchema.type", message: "must be a type" },
    { path: "program.behaviour.steps[0].at", message: "must be positive" },
    { path: "inputSchemas", message: "unknown" },
    { path: "slug", message: "is taken" },
  ]);
  expect(files).toEqual({});
  expect(texts).toEqual({
    inputSchema: [{ line: 2, column: 3, message: "must be a type", severity: "error" }],
    behaviour: [{ line: 3, column: 7, message: "must be positive", severity: "error" }],
  });
});
