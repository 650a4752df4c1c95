import { describe, expect, it } from "vitest";
import { createProvider, run } from "../testing/played-turn.ts";
import type { TurnRequest } from "./contract.ts";
import type { OfferedFunction } from "./offered-functions.ts";
import { type PromptMessage, textParts } from "./prompt-parts.ts";
import type { StepPart } from "./provider.ts";
import { type OfferedSkill, skillTools } from "./skills.ts";

const define = (name: string, skills?: readonly string[]): OfferedFunction => {
  return { name, description: name, inputSchema: { type: "object" }, skills };
};
const functions = [
  define("add"),
  define("shop__buy", ["selling"]),
  define("shop__find", ["selling", "finding"]),
  define("maps__find", ["finding"]),
  define("ask_user"),
];
const skills: OfferedSkill[] = [
  { name: "selling", description: "Sells", tools: ["shop__buy", "shop__find"] },
  { name: "finding", description: "Finds", tools: ["shop__find", "maps__find"] },
  { name: "gone", description: "Gone" },
];
const tools = skillTools(skills, {
  loadInstructions: async ({ name }) => (name === "gone" ? null : `How ${name} works`),
  listFiles: async () => [],
  readFile: async () => undefined,
});
const builtIn = ["skills__load", "skills__read_file"];

let made = 0;
const call = (name: string, params: Record<string, unknown> = {}): StepPart => {
  return { type: "call", call: { id: `call_${made++}`, name, params } };
};
const load = (name: string) => call("skills__load", { name });

/** Plays steps of calls; gives the names of the tools that each step was offered, and the calls that it made. */
const play = async (steps: StepPart[][], parts: Partial<TurnRequest> = {}) => {
  const provider = createProvider([...steps, [{ type: "text", text: "Done" }]]);
  const events = await run(provider, { tools, functions, ...parts });
  return {
    offered: provider.requests.map((request) => request.tools.map(({ name }) => name)),
    calls: events.flatMap((event) => (event.type === "step finished" ? event.calls : [])),
  };
};

describe("functions that come with skills", () => {
  it("are offered from the step after their skill was loaded, after the others, in the order of loading", async () => {
    const { offered, calls } = await play([[load("finding")], [load("selling")]]);
    const first = [...builtIn, "add", "ask_user"];
    const second = [...first, "shop__find", "maps__find"];
    expect(offered).toEqual([first, second, [...second, "shop__buy"]]);
    expect(calls[0]?.output).toBe(
      "How finding works\n\nTools of the skill, which you can call from the next step on:\n- shop__find\n- maps__find",
    );
  });

  it("are not offered by a call that loads nothing", async () => {
    const { offered } = await play([[load("gone"), load("nobody"), call("skills__load")]], {
      functions: [...functions, define("gone__do", ["gone"])],
    });
    expect(offered[1]).toEqual(offered[0]);
  });

  it("that are called too early are refused with the skill to load, also beside the call that loads it", async () => {
    const { calls, offered } = await play([
      [load("selling"), call("shop__buy"), call("shop__find"), call("nothing")],
    ]);
    expect(offered).toHaveLength(2);
    const [, buy, find, nothing] = calls;
    expect(buy).toMatchObject({
      isError: true,
      output:
        'The tool shop__buy comes with the skill "selling": load it with skills__load, then call the tool in a later step',
    });
    expect(find?.output).toContain('with the skill "selling" or "finding":');
    expect(nothing?.output).toBe(
      "No tool named nothing. Tools: skills__load, skills__read_file, add, ask_user",
    );
  });

  it("stay open as others do when they are called", async () => {
    const { calls } = await play([[load("selling")], [call("shop__buy")]]);
    expect(calls.at(-1)).not.toHaveProperty("output");
  });

  it("are offered after a takeover as the finished calls say, and by calls of earlier turns in the prompt", async () => {
    const loaded = { id: "1", name: "skills__load", output: "How", step: 0 };
    const finishedSteps = [{ step: 0, content: "" }];
    const finish = (name: string, isError: boolean) => ({ ...loaded, params: { name }, isError });
    const finishedCalls = [finish("finding", true), finish("selling", false)];
    const first = [...builtIn, "add", "ask_user", "shop__buy", "shop__find"];
    expect((await play([[]], { finishedSteps, finishedCalls })).offered).toEqual([first]);
    const earlier: PromptMessage[] = [
      { role: "user", parts: textParts("Buy") },
      {
        role: "assistant",
        parts: [{ type: "call", id: "0", name: "skills__load", params: { name: "finding" } }],
      },
      { role: "tool", parts: [{ type: "result", id: "0", name: "skills__load", output: [] }] },
      { role: "user", parts: textParts("And?") },
    ];
    const { offered } = await play([[]], { finishedSteps, finishedCalls, prompt: earlier });
    expect(offered).toEqual([
      [...builtIn, "add", "ask_user", "shop__find", "maps__find", "shop__buy"],
    ]);
  });
});
