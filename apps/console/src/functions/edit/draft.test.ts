import { expect, test } from "vitest";
import { definitionOf, draftOf, emptyDraft, type StoredDefinition } from "./draft.ts";
import { limitTexts } from "./limits.ts";

const bounds = { timeoutMs: 500, maxOutputBytes: 2048, maxLogLines: 3, maxConcurrent: 4 };
const ofCode = { cpuMs: 20, memoryBytes: 8_388_608, logBytes: 5, fetches: 6, fetchBytes: 7 };

const stored = (program: StoredDefinition["program"]): StoredDefinition => ({
  description: "Adds",
  program,
  inputSchema: { type: "object" },
  outputSchema: null,
  ...bounds,
  retryable: true,
  requiresApproval: false,
});

test.for<StoredDefinition["program"]>([
  {
    type: "javascript",
    source: { "index.ts": "a", "b.json": "{}" },
    allowedHosts: ["a.example", "b.example:8443"],
    secrets: [{ name: "TOKEN", readable: true }],
    ...ofCode,
  },
  { type: "javascript", source: "one", allowedHosts: [], secrets: [], ...ofCode },
  { type: "e2b", language: "python", source: "x", template: "t" },
  { type: "simulated", behaviour: { steps: [], result: "1", durationMs: 0 } },
])("gives a stored program back as it was: %o", (program) => {
  expect(definitionOf(draftOf("add", stored(program)))).toEqual({
    ...stored(program),
    outputSchema: {},
  });
});

test.for([
  [{ inputSchema: "[]" }, "Input schema: Enter a JSON object, in braces"],
  [{ outputSchema: "{" }, /^Result schema: Invalid JSON/],
  [{ type: "simulated", behaviour: "" }, /^Behaviour: Invalid JSON/],
  [{ limits: { ...limitTexts({}), cpuMs: "1.5" } }, "“CPU time (ms)” must be a whole number"],
  [{ limits: { ...limitTexts({}), fetches: "" } }, "“Requests” must be a whole number"],
] as const)("refuses %o", ([changed, message]) => {
  expect(() => definitionOf({ ...emptyDraft, ...changed })).toThrow(message);
});
