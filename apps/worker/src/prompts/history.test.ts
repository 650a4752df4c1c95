import type { HistoryRow } from "@parley/core";
import { describe, expect, it } from "vitest";
import { answerAt, loadedSkills, toHistory } from "./history.ts";

type Called = NonNullable<HistoryRow["called"]>;

const model = { providerId: "anthropic", modelId: "claude-sonnet-4-5" };
const call = (step: number, parts: Partial<Called["calls"][number]> = {}) => ({
  id: `call_${step}`,
  name: "look",
  step,
  isOpen: false,
  params: { at: step },
  cutParams: null,
  output: [{ type: "text", text: `Result ${step}` }],
  cutOutput: null,
  ...parts,
});
const row = (parts: Partial<Called>): HistoryRow => ({
  sid: "msg_1",
  rank: 3,
  type: "agent_message",
  content: "Looking. Done",
  fragment: null,
  parentMessageId: null,
  promptValues: null,
  author: null,
  called: {
    calls: [call(0)],
    contents: [
      { step: 0, content: "Looking. " },
      { step: 1, content: "Done" },
    ],
    replays: null,
    ...parts,
  },
});
const shown = (parts: Partial<Called>, of = model) =>
  toHistory(row(parts), { model: of, givesCalls: true }).called!;

describe("an earlier answer", () => {
  it("has its steps with their calls, and its text only in a turn without tools", () => {
    expect(shown({})).toEqual({
      finishedSteps: [
        { step: 0, content: "Looking. ", replay: undefined },
        { step: 1, content: "Done", replay: undefined },
      ],
      finishedCalls: [
        { id: "call_0", name: "look", params: { at: 0 }, output: "Result 0", step: 0 },
      ],
    });
    const text = toHistory(row({}), { model, givesCalls: false });
    expect(text).toMatchObject({ type: "agent_message", content: "Looking. Done" });
    expect(text).not.toHaveProperty("called");
  });

  it("has no call of a step in which one has not ended, and none after it", () => {
    const calls = [call(0), call(1), call(1, { isOpen: true, output: null }), call(2)];
    const { finishedSteps, finishedCalls } = shown({ calls });
    expect(finishedCalls.map(({ step }) => step)).toEqual([0]);
    expect(finishedSteps.map(({ step, content }) => [step, content])).toEqual([
      [0, "Looking. "],
      [1, "Done"],
    ]);
  });

  it("has steps without text, and none with neither text nor calls", () => {
    const contents = [{ step: 2, content: " " }];
    const { finishedSteps } = shown({ calls: [call(0), call(1)], contents });
    expect(finishedSteps.map(({ step }) => step)).toEqual([0, 1]);
    expect(shown({ contents: null }).finishedSteps).toHaveLength(1);
  });

  it("gives replays back to the model that gave them, with calls as they were", () => {
    const other = { ...model, modelId: "claude-opus-4-5" };
    const replays = [
      { step: 0, replay: "a", model },
      { step: 1, replay: "b", model: other },
    ];
    const given = (parts: Partial<Called> = {}, of = model) =>
      shown({ calls: [call(0), call(1)], replays, ...parts }, of).finishedSteps.map(
        ({ replay }) => replay,
      );
    expect(given()).toEqual(["a", undefined]);
    expect(given({}, other)).toEqual([undefined, "b"]);
    const cutParams = { head: '{"text": "x', tail: "x", characters: 20_000 };
    const cut = { calls: [call(0, { params: null, cutParams })] };
    expect(given(cut)).toEqual([undefined, undefined]);
    expect(shown(cut).finishedCalls[0]?.params).toEqual({
      leftOut: 'These parameters had 20000 characters of JSON, which began so: {"text": "x',
    });
  });

  it("names a call whose result is cut by its place, which leads to the answer", () => {
    const cutOutput = { head: "a", tail: "z", characters: 20_000 };
    const cut = { calls: [call(0), call(0, { output: null, cutOutput })] };
    expect(shown(cut).finishedCalls[1]?.output).toContain('call "3-0-1" and offset 1');
    const history = [row(cut)];
    const turn = { history, message: { rank: 7, sid: "msg_2" } };
    expect([3, 7, 5].map((rank) => answerAt(turn, rank))).toEqual(["msg_1", "msg_2", undefined]);
  });

  it("say which skills were loaded, in order, and no more than were", () => {
    const load = (name: unknown, parts = {}) =>
      call(0, { name: "skills__load", params: { name }, ...parts });
    const long = { output: null, cutOutput: { head: "a", tail: "", characters: 20_000 } };
    const calls = [load("b"), call(0), load("a", long), load("open", { output: null }), load(7)];
    expect(loadedSkills(row({ calls }))).toEqual(["b", "a"]);
    expect(loadedSkills({ ...row({}), called: null })).toEqual([]);
  });
});
