import { expect, test } from "vitest";
import { draftOf, emptyDraft, inputOfDraft } from "./definition.ts";

const draft = { ...emptyDraft, name: "Clerk", model: "custom/org/model-1" };

test("sends the draft to the server, also with a model whose name has slashes", () => {
  expect(inputOfDraft({ ...draft, script: '{"steps": []}', skillIds: ["skl_a"] })).toMatchObject({
    name: "Clerk",
    model: {
      providerId: "custom",
      modelId: "org/model-1",
      temperature: 0.7,
      reasoningEffort: null,
    },
    maxStepsPerRun: 8,
    skillIds: ["skl_a"],
    script: { steps: [] },
  });
  expect(inputOfDraft(draft)).not.toHaveProperty("script");
  expect(inputOfDraft(draft)).not.toHaveProperty("responseFormat");
});

test.for([
  [{ model: "" }, "Choose a model"],
  [{ temperature: "warm" }, "Temperature must be a number"],
  [{ maxStepsPerRun: "" }, "Max steps per turn must be a number"],
  [{ script: "[]" }, "Enter a JSON object"],
  [{ team: "research" }, 'Team: "research" is not a name, a colon and the id of an agent'],
  [
    { compaction: { ...emptyDraft.compaction, startsAtPercent: "half" } },
    "The share of the context must be a number",
  ],
] as const)("refuses %o", ([changed, message]) => {
  expect(() => inputOfDraft({ ...draft, ...changed })).toThrow(message);
});

test("gives a stored agent back as it was", () => {
  const agentConfiguration = {
    name: "Clerk",
    description: "Answers",
    instructions: null,
    model: { providerId: "simulated", modelId: "simulated-1", temperature: 0 },
    maxStepsPerRun: 3,
    scope: "hidden",
  };
  const fallbackModels = [{ providerId: "custom", modelId: "org/model-1" }];
  const lists = { fallbackModels, skillIds: [], functionIds: ["add"], toolIds: [] };
  const reasoningEffort = "light";
  const responseFormat = { type: "json_schema", schema: { type: "object" }, strict: true };
  const compaction = { enabled: false, keepsMessages: 6 };
  const team = [
    { agentId: "Ag7nTq2Wz4", name: "research", mode: "ask" },
    { agentId: "Qm3xT8kLp0", name: "shipping", mode: "handover" },
  ];
  const memory = { user: "write", space: "read" };
  const folders = [{ dataSourceId: "dts_1", folderId: "a/b" }];
  const knowledge = { everything: true, dataSourceIds: ["dts_2"], folders, tags: ["x", "y"] };
  const own = {
    team,
    script: null,
    asksUser: true,
    reasoningEffort,
    responseFormat,
    compaction,
    knowledge,
    memory,
  };
  const stored = { agentConfiguration, ...own, ...lists };
  expect(inputOfDraft(draftOf(stored as unknown as Parameters<typeof draftOf>[0]))).toEqual({
    name: "Clerk",
    description: "Answers",
    instructions: "",
    model: { providerId: "simulated", modelId: "simulated-1", temperature: 0, reasoningEffort },
    maxStepsPerRun: 3,
    scope: "hidden",
    asksUser: true,
    team,
    responseFormat,
    compaction,
    knowledge,
    memory,
    ...lists,
  });
});
