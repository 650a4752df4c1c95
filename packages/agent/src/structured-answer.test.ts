import { describe, expect, it } from "vitest";
import { call, createProvider, published, reasoning, run, text } from "../testing/played-turn.ts";
import type { TurnEvent } from "./contract.ts";
import { messagesOfSteps } from "./prompt.ts";
import type { StepPart } from "./provider.ts";
import { type AnswerFormat, judgeAnswer, openGate } from "./structured-answer.ts";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const format = (parts: Partial<AnswerFormat> = {}): AnswerFormat => ({
  schema,
  enforced: "never",
  findFault: async (value) => {
    const { city } = value as { city?: unknown };
    return typeof city === "string" ? undefined : "answer: must have required property 'city'";
  },
  ...parts,
});
const good = '{"city": "Oslo"}';
const usage: StepPart = { type: "usage", inputTokens: 5, outputTokens: 3 };
const end = (events: readonly TurnEvent[]) => events.at(-1);
const shown = (events: readonly TurnEvent[]) => {
  const last = end(events);
  return published(events) + ((last?.type === "finished" && last.unpublished) || "");
};

describe("an answer whose schema nobody else enforces", () => {
  const answerFormat = format();

  it("is published at once, as the JSON alone, with its value", async () => {
    const provider = createProvider([[text("```json\n"), text(good), text("\n```\n")]]);
    const events = await run(provider, { answerFormat });
    expect(published(events)).toBe("");
    expect(events).toMatchObject([
      { type: "finished", content: good, unpublished: good, error: null, finishReason: "stop" },
    ]);
    expect(end(events)).toMatchObject({ answer: { value: { city: "Oslo" } } });
  });

  it("is repaired, with the answer and its fault before the model, each step with its usage", async () => {
    const provider = createProvider([
      [text("In Oslo."), usage],
      [text('{"town": "Oslo"}'), usage],
      [text(good), usage],
    ]);
    const events = await run(provider, { answerFormat, maxSteps: 1 });
    expect(events).toMatchObject([
      { type: "step finished", calls: [], content: "", record: { held: { text: "In Oslo." } } },
      { type: "step finished", calls: [], content: "", record: { inputTokens: 5 } },
      { type: "finished", content: good, record: { step: 2, outputTokens: 3 } },
    ]);
    const { finishedSteps = [] } = provider.requests[2] ?? {};
    const messages = messagesOfSteps({ finishedSteps, finishedCalls: [] });
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "user", "assistant", "user"]);
    expect(JSON.stringify(messages[1])).toContain("it is not JSON");
    expect(JSON.stringify(messages[3])).toContain("must have required property 'city'");
  });

  it("fails after two repairs, and nothing of it is shown", async () => {
    const provider = createProvider([[text("a")], [text("b")], [text("c")], [text(good)]]);
    const events = await run(provider, { answerFormat });
    expect(provider.requests).toHaveLength(3);
    expect(shown(events)).toBe("");
    expect(end(events)).toMatchObject({
      type: "finished",
      content: "",
      error: { code: "invalid_structured_output", message: expect.stringContaining("not JSON") },
    });
  });

  it("continues the repairs of an attempt before", async () => {
    const provider = createProvider([[], [text("b")], [text("c")], [text(good)]]);
    const held = { text: "a", fault: "it is not JSON" };
    const finishedSteps = [{ step: 0, content: "", held }];
    const events = await run(provider, { answerFormat, finishedSteps });
    expect(provider.requests.map(({ step }) => step)).toEqual([1, 2]);
    expect(end(events)).toMatchObject({ error: { code: "invalid_structured_output" } });
  });

  it("does not show what steps write beside their calls, but tells the model", async () => {
    const provider = createProvider([[text("Let me look."), call("look")], [text(good)]]);
    const events = await run(provider, { answerFormat });
    expect(shown(events)).toBe(good);
    expect(end(events)).toMatchObject({ content: good, rawContents: [{ content: "" }, {}] });
    const { finishedSteps = [], finishedCalls = [] } = provider.requests[1] ?? {};
    expect(JSON.stringify(messagesOfSteps({ finishedSteps, finishedCalls }))).toContain(
      "Let me look.",
    );
  });

  it("ends as a cut-off, and not as JSON", async () => {
    const cut: StepPart = { type: "finish", reason: "length" };
    const provider = createProvider([[text('{"city": "Os'), cut]]);
    const events = await run(provider, { answerFormat });
    expect(provider.requests).toHaveLength(1);
    expect(events).toMatchObject([{ content: "", finishReason: "length", error: null }]);
    expect(end(events)).not.toHaveProperty("answer");
  });

  it("tells the model the schema", async () => {
    const provider = createProvider([[text(good)]]);
    await run(provider, { answerFormat });
    const instruction = expect.stringContaining(JSON.stringify(schema)) as string;
    const asked = { schema, isEnforced: false, instruction };
    expect(provider.requests[0]?.answerFormat).toEqual(asked);
  });
});

describe("an answer whose schema the service enforces", () => {
  const answerFormat = format({ enforced: "always" });

  it("streams as it comes, without white space around it", async () => {
    const pieces = [" \n", ' {"city"', ": ", '"Oslo"}', " ", "\n"];
    const provider = createProvider([[reasoning("Hm"), ...pieces.map(text)]]);
    const events = await run(provider, { answerFormat });
    const texts = events.flatMap((event) => (event.type === "tokens" ? event.text : []));
    expect(texts).toEqual(["Hm", '{"city"', ":", ' "Oslo"}']);
    expect(end(events)).toMatchObject({ content: good, answer: { value: { city: "Oslo" } } });
    expect(end(events)).toMatchObject({ unpublished: undefined });
    expect(provider.requests[0]?.answerFormat).toEqual({ schema, isEnforced: true });
  });

  it("fails without a repair", async () => {
    const provider = createProvider([[text('{"town": "Oslo"}')], [text(good)]]);
    const events = await run(provider, { answerFormat });
    expect(provider.requests).toHaveLength(1);
    const error = { code: "invalid_structured_output" };
    expect(end(events)).toMatchObject({ content: '{"town": "Oslo"}', error });
  });

  it("is none if the model calls a tool after it has begun", async () => {
    const provider = createProvider([[text(good), call("look")]]);
    const events = await run(provider, { answerFormat });
    expect(events.map(({ type }) => type)).toEqual(["tokens", "finished"]);
    expect(end(events)).toMatchObject({ error: { code: "invalid_structured_output" } });
  });

  it("may follow remarks beside calls, which are not shown", async () => {
    const provider = createProvider([[text("I look."), call("look")], [text(good)]]);
    const events = await run(provider, { answerFormat });
    expect(published(events)).toBe(good);
  });

  it("is held back where tools prevent that the service enforces it", async () => {
    const provider = createProvider([[text("No")], [text(good)]]);
    const functions = [{ name: "look", description: "", inputSchema: {} }];
    const given = format({ enforced: "without tools" });
    expect(shown(await run(provider, { answerFormat: given, functions }))).toBe(good);
    const alone = createProvider([[text("No")], [text(good)]]);
    expect(end(await run(alone, { answerFormat: given }))).toMatchObject({
      error: { code: "invalid_structured_output" },
    });
  });
});

it.each([
  ["[1", /^it is not JSON/],
  ["", /^it is empty/],
  [String.raw`{"city":"\u0000"}`, /^answer.city: must not contain NUL/],
  ['{"city":12345678901234567890}', /^answer.city: must be an integer within/],
  [`{"city":${"[".repeat(70)}${"]".repeat(70)}}`, /nested deeper than 64/],
  [`[${"1,".repeat(100_000)}1]`, /^it must hold at most/],
])("does not accept what cannot be kept: %#", async (given, fault) => {
  expect(await judgeAnswer(format(), given)).toEqual({ fault: expect.stringMatching(fault) });
});

it("holds any amount of white space in linear time", () => {
  const gate = openGate(format({ enforced: "always" }), []);
  expect(gate.push('{"city":')).toBe('{"city":');
  for (let count = 0; count < 250_000; count++) expect(gate.push("    ")).toBe("");
  expect(gate.isFull).toBe(false);
  gate.push(" ".repeat(100_000));
  expect(gate.isFull).toBe(true);
});
