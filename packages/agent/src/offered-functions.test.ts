import { describe, expect, it } from "vitest";
import { createProvider, run } from "../testing/played-turn.ts";
import type { TurnRequest } from "./contract.ts";
import type { OfferedFunction } from "./offered-functions.ts";
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
const toolsOf = (of: readonly OfferedSkill[], given: readonly OfferedFunction[]) =>
  skillTools(
    of,
    {
      loadInstructions: async ({ name }) => (name === "gone" ? null : `How ${name} works`),
      listFiles: async () => [],
      readFile: async () => undefined,
    },
    given,
  );
const tools = toolsOf(skills, functions);
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

  it("are offered after a takeover as the finished calls say, and as earlier turns have loaded them", async () => {
    const loaded = { id: "1", name: "skills__load", output: "How", step: 0 };
    const finishedSteps = [{ step: 0, content: "" }];
    const finish = (name: string, isError: boolean) => ({ ...loaded, params: { name }, isError });
    const finishedCalls = [finish("finding", true), finish("selling", false)];
    const first = [...builtIn, "add", "ask_user", "shop__buy", "shop__find"];
    expect((await play([[]], { finishedSteps, finishedCalls })).offered).toEqual([first]);
    const { offered } = await play([[]], {
      finishedSteps,
      finishedCalls,
      loadedSkills: ["finding"],
    });
    expect(offered).toEqual([
      [...builtIn, "add", "ask_user", "shop__find", "maps__find", "shop__buy"],
    ]);
  });
});

describe("the tools of servers that a step is offered", () => {
  /** So many tools, of so many servers. */
  const toolsOfServers = (prefix: string, count: number, servers: number, of?: string[]) =>
    Array.from({ length: count }, (_, index): OfferedFunction => {
      const server = { id: prefix.charCodeAt(0) * 1000 + (index % servers) };
      return { ...define(`${prefix}${index}`, of), server };
    });
  const tooMany =
    /cannot be called: with those that you have, they would be more than 128 tools, or of more than 16 servers$/;
  /** Loads the skills one after the other in a step; gives what the next one is offered of servers, and the results. */
  const loadAll = async (given: readonly OfferedFunction[], names: readonly string[]) => {
    const named = names.map((name) => ({ name, description: "", tools: ["some"] }));
    const { offered, calls } = await play([names.map(load)], {
      tools: toolsOf(named, given),
      functions: given,
    });
    return {
      count: offered[1]!.length - builtIn.length,
      outputs: calls.map(({ output }) => output),
    };
  };

  it.each([
    ["128 tools of 16 servers", 100, 8, 28, 8, true],
    ["129 tools", 100, 8, 29, 8, false],
    ["tools of 17 servers", 9, 9, 8, 8, false],
  ])(
    "are at most 128, of at most 16 servers: %s",
    async (_name, own, ownServers, more, servers, fits) => {
      const given = [
        ...toolsOfServers("a", own, ownServers),
        ...toolsOfServers("b", more, servers, ["selling"]),
      ];
      const { count, outputs } = await loadAll(given, ["selling"]);
      expect(count).toBe(fits ? own + more : own);
      expect(outputs[0]).toMatch(/^How selling works/);
      if (fits) expect(outputs[0]).toContain("from the next step on");
      else expect(outputs[0]).toMatch(tooMany);
    },
  );

  it("are those of the skills that were loaded first, also within a step, and of smaller ones after them", async () => {
    const given = [
      ...toolsOfServers("a", 100, 1, ["first"]),
      ...toolsOfServers("b", 100, 1, ["second"]),
      ...toolsOfServers("c", 20, 1, ["third"]),
    ];
    const { count, outputs } = await loadAll(given, ["first", "second", "third"]);
    expect(count).toBe(120);
    expect(outputs.map((output) => tooMany.test(output ?? ""))).toEqual([false, true, false]);
  });

  it("do not count functions, servers in clients, and skills that are not loaded", async () => {
    const inClient: OfferedFunction = { ...define("mine"), server: { id: null } };
    const given = [
      ...Array.from({ length: 60 }, (_, index) => define(`function${index}`)),
      inClient,
      ...toolsOfServers("a", 127, 16, ["first"]),
      ...toolsOfServers("b", 400, 16, ["second"]),
    ];
    expect((await loadAll(given, ["first"])).count).toBe(60 + 1 + 127);
  });

  it("that do not fit are refused when they are called all the same", async () => {
    const given = [...toolsOfServers("a", 128, 1), ...toolsOfServers("b", 1, 1, ["selling"])];
    const named = [{ name: "selling", description: "", tools: ["b0"] }];
    const { calls } = await play([[load("selling")], [call("b0")]], {
      tools: toolsOf(named, given),
      functions: given,
    });
    expect(calls.at(-1)).toMatchObject({ isError: true, output: expect.stringMatching(tooMany) });
  });
});
