import type { SimulatedScript } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { buildPrompt } from "./prompt.ts";
import { textParts } from "./prompt-parts.ts";
import type { ModelProvider, StepRequest } from "./provider.ts";
import { simulatedProvider } from "./simulated.ts";
import { type OfferedSkill, skillTools, type SkillSource } from "./skills.ts";
import { runTurn } from "./turn.ts";

const skills = [
  { name: "pdf", description: "Reads\n- PDF files" },
  { name: "gone", description: "Was archived" },
];
const offer =
  "You have skills. Before you use one, call skills__load with its name to get its instructions.\n" +
  "- pdf: Reads - PDF files\n- gone: Was archived";

describe("skills in a prompt", () => {
  it("come after the agent's instructions, each in a line", () => {
    const history = [{ type: "user_message", content: "Hi" }];
    const given = { instructions: "Be kind", skills };
    expect(buildPrompt(given, history, 1000)).toEqual([
      { role: "system", parts: textParts("Be kind"), isPinned: true },
      { role: "system", parts: textParts(offer), isPinned: true },
      { role: "user", parts: textParts("Hi") },
    ]);
    expect(buildPrompt({ instructions: null }, history, 1000)).toEqual([
      { role: "user", parts: textParts("Hi") },
    ]);
  });
});

describe("the tool skills__load", () => {
  const source: SkillSource<OfferedSkill> = {
    loadInstructions: async ({ name }) =>
      name === "pdf" ? "Open the file. ".repeat(20_000) : null,
    listFiles: async ({ name }) => (name === "pdf" ? [] : null),
    readFile: async () => undefined,
  };
  const tools = skillTools(skills, source);
  const play = async (toolCalls: NonNullable<SimulatedScript["steps"][number]["toolCalls"]>) => {
    const requests: StepRequest[] = [];
    const provider: ModelProvider = {
      canContinue: true,
      countsTokens: false,
      streamStep: (request) => {
        requests.push(request);
        return simulatedProvider.streamStep(request);
      },
    };
    const events = await Array.fromAsync(
      runTurn({
        provider,
        modelId: "simulated-1",
        temperature: 1,
        prompt: [],
        tools,
        functions: [],
        script: { steps: [{ toolCalls }, { text: "Got: {{result}}" }], tokenDelayMs: 0 },
        maxSteps: 8,
        contextTokens: 100_000,
        countFitting: async ({ texts }) => texts.length,
        signal: new AbortController().signal,
        finishedSteps: [],
        finishedReasoning: "",
        finishedCalls: [],
        prefix: { text: "", reasoning: "" },
      }),
    );
    const finished = events.find((event) => event.type === "step finished");
    return { requests, calls: finished?.calls, end: events.at(-1) };
  };

  it("gives instructions to the model, cut to the maximum length", async () => {
    const { requests, calls, end } = await play([
      { name: "skills__load", params: { name: "pdf" } },
    ]);
    const output = "Open the file. ".repeat(20_000).slice(0, 200_000);
    expect(calls).toMatchObject([{ name: "skills__load", output, isError: false }]);
    expect(requests[1]?.finishedCalls).toMatchObject([{ params: { name: "pdf" }, output }]);
    expect(end).toMatchObject({ content: `Got: ${output}`, error: null });
    expect(requests[0]?.tools[0]?.inputSchema).toMatchObject({
      properties: { name: { enum: ["pdf", "gone"] } },
    });
  });

  it.for([{ name: "other" }, { name: "gone" }, { name: 7 }, {}])(
    "tells the model that asks for %j which skills there are",
    async (params) => {
      const output = "No such skill. Skills: pdf, gone";
      const { calls, end } = await play([{ name: "skills__load", params }]);
      expect(calls).toMatchObject([{ output, isError: true }]);
      expect(end).toMatchObject({ content: `Got: ${output}`, error: null });
    },
  );

  it("exists only for agents with skills, and other tools do not", async () => {
    expect(skillTools([], source)).toEqual([]);
    const { calls } = await play([{ name: "nothing", params: {} }]);
    const output = "No tool named nothing. Tools: skills__load, skills__read_file";
    expect(calls).toMatchObject([{ output, isError: true }]);
  });
});
