import { describe, expect, it } from "vitest";
import { buildPrompt } from "./prompt.ts";
import { describeCut, MAX_RESULT_CHARACTERS, resultsTool, shownResult } from "./results.ts";

const place = { rank: 3, step: 0, position: 1 };

describe("a long result", () => {
  it("is whole up to its bound, and then its beginning and end with what is missing", () => {
    const whole = "\u{1F600}".repeat(MAX_RESULT_CHARACTERS);
    expect(shownResult(whole, place)).toBe(whole);
    const shown = shownResult(`${whole}x`, place);
    expect(shown).toBe(
      `${"\u{1F600}".repeat(80_000)}\n[… 10001 of 100001 characters are left out here; to read them, call results__read with call "3-0-1" and offset 80000 …]\n${"\u{1F600}".repeat(9999)}x`,
    );
    // What was shown once is shown so again.
    expect(shownResult(shown, place)).toBe(shown);
  });

  it("has no note if nothing of it is missing", () => {
    expect(describeCut({ head: "ab", tail: "c", characters: 3 }, place)).toBe("abc");
  });
});

const noLoads = { finishedCalls: [] };

describe("the tool that reads on", () => {
  const read = async (params: Record<string, unknown>) =>
    resultsTool(async (asked) => (asked.rank === 3 ? `0123456789\u{1F600}` : undefined)).run(
      params,
      noLoads,
    );

  it.each([
    [{ call: "3-0-1" }, "[Characters 0 to 11 of 11]\n0123456789\u{1F600}"],
    [{ call: "3-0-1", offset: 8, length: 3 }, "[Characters 8 to 11 of 11]\n89\u{1F600}"],
    [{ call: "3-0-1", offset: 99 }, "[Characters 11 to 11 of 11]\n"],
    [{ call: "3-0-1", offset: -1, length: 0 }, "[Characters 0 to 1 of 11]\n0"],
    [
      { call: "3-0-1", offset: "2", length: null },
      "[Characters 0 to 11 of 11]\n0123456789\u{1F600}",
    ],
  ])("gives of %j what there is", async (params, output) => {
    expect(await read(params)).toEqual({ output, isError: false });
  });

  it.each(["4-0-1", "3-0", "3-0-1; drop", "", 7, null])("knows no call %j", async (name) => {
    expect(await read({ call: name })).toMatchObject({ isError: true });
  });

  it("reads no more at once than a model takes", async () => {
    const tool = resultsTool(async () => "x".repeat(200_000));
    const { output } = await tool.run({ call: "3-0-1", length: 1e9 }, noLoads);
    expect(output).toHaveLength("[Characters 0 to 50000 of 200000]\n".length + 50_000);
  });
});

it("an earlier answer that ends with results is given an end", () => {
  const called = {
    finishedSteps: [{ step: 0, content: "" }],
    finishedCalls: [{ id: "1", name: "look", params: {}, output: "Rain", step: 0 }],
  };
  const history = [
    { type: "user_message", content: "Hi" },
    { type: "agent_message", content: "", called },
    { type: "user_message", content: "And?" },
  ];
  const prompt = buildPrompt({ instructions: null }, history, 1e6);
  expect(prompt.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
  expect(prompt[3]?.parts).toEqual([{ type: "text", text: "[The answer ended here.]" }]);
});
