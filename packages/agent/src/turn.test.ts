import { describe, expect, it } from "vitest";
import type { StepPart } from "./provider.ts";
import { simulatedProvider } from "./simulated.ts";
import { call, createProvider, published, reasoning, run, text } from "../testing/played-turn.ts";
import { summarizeTurn } from "./turn.ts";

describe("runTurn", () => {
  it("ends at once when an earlier attempt was interrupted after the last step", async () => {
    const finishedSteps = [
      { step: 0, content: "A " },
      { step: 1, content: "B" },
    ];
    const events = await run(createProvider([]), { maxSteps: 2, finishedSteps });
    expect(events).toEqual([
      {
        type: "finished",
        step: 1,
        content: "A B",
        chainOfThought: null,
        rawContents: finishedSteps,
        error: null,
        finishReason: null,
      },
    ]);
  });

  it("ends after a step without calls, with what was published", async () => {
    const events = await run(createProvider([[reasoning("Hm. "), text("Hello "), text("you")]]));
    expect(events).toEqual([
      { type: "tokens", step: 0, text: "Hm. ", classification: "chain_of_thought" },
      { type: "tokens", step: 0, text: "Hello ", classification: "tokens" },
      { type: "tokens", step: 0, text: "you", classification: "tokens" },
      {
        type: "finished",
        step: 0,
        content: "Hello you",
        chainOfThought: "Hm. ",
        rawContents: [{ step: 0, content: "Hello you" }],
        error: null,
        finishReason: "stop",
        record: {
          step: 0,
          inputTokens: null,
          outputTokens: null,
          durationMs: expect.any(Number),
          startedAt: expect.any(Number),
          firstTokenMs: expect.any(Number),
        },
      },
    ]);
  });

  it("says that an answer has no text, or was cut", async () => {
    const length = { type: "finish", reason: "length" } as const;
    const reasons = [];
    for (const parts of [[text(" \n")], [], [reasoning("Hm")], [text("Once upon"), length]]) {
      reasons.push((await run(createProvider([parts]))).at(-1));
    }
    expect(reasons).toMatchObject(
      ["empty", "empty", "empty", "length"].map((finishReason) => ({ error: null, finishReason })),
    );
  });

  it("takes another step after calls, and joins the texts", async () => {
    const provider = createProvider([
      [reasoning("A"), text("one "), call("look"), call("ask")],
      [call("again")],
      [reasoning("B"), text("two")],
    ]);
    const events = await run(provider);
    expect(events.filter((event) => event.type !== "tokens")).toMatchObject([
      {
        type: "step finished",
        step: 0,
        content: "one ",
        calls: [{ name: "look" }, { name: "ask" }],
      },
      { type: "step finished", step: 1, content: "one ", calls: [{ name: "again" }] },
      {
        type: "finished",
        step: 2,
        content: "one two",
        chainOfThought: "AB",
        rawContents: [
          { step: 0, content: "one " },
          { step: 1, content: "" },
          { step: 2, content: "two" },
        ],
        error: null,
      },
    ]);
    expect(provider.requests.map((request) => [request.step, request.prefix])).toEqual(
      [0, 1, 2].map((step) => [step, { text: "", reasoning: "" }]),
    );
  });

  it("ends at the maximum number of steps", async () => {
    const steps = Array.from({ length: 5 }, (_, at) => [text(`${at} `), call("look")]);
    const events = await run(createProvider(steps), { maxSteps: 3 });
    // The calls of the last step have run, so their event comes too.
    expect(events.filter((event) => event.type === "step finished")).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({
      type: "finished",
      step: 2,
      content: "0 1 2 ",
      error: null,
    });
  });

  it("may have no reasoning and no text", async () => {
    expect(await run(createProvider([[text("")]]))).toMatchObject([
      { type: "finished", content: "", chainOfThought: null, error: null },
    ]);
  });

  it("ends with the provider's error and the text so far", async () => {
    const error: StepPart = { type: "error", code: "overloaded", message: "Try later" };
    const events = await run(
      createProvider([
        [text("one "), call("look")],
        [text("tw"), error],
      ]),
    );
    expect(events.at(-1)).toMatchObject({
      type: "finished",
      step: 1,
      content: "one tw",
      error: { code: "overloaded", message: "Try later", metadata: null },
    });
  });

  it("hides an exception of the provider and gives it to the log", async () => {
    const cause = new Error("socket hang up at 10.0.0.1");
    const events = await run(createProvider([[text("one"), cause]]));
    expect(events.at(-1)).toMatchObject({
      type: "finished",
      content: "one",
      error: { code: "provider_error", message: "The model provider failed" },
      cause,
    });
  });

  it("throws when its signal aborts", async () => {
    const abort = new AbortController();
    const provider = createProvider([[text("one"), new Error("aborted inside")]]);
    abort.abort();
    await expect(run(provider, { signal: abort.signal })).rejects.toThrow("aborted inside");
  });

  const NUL = "\u0000";
  const LONE = "\uD800";
  it("makes all output of a model storable", async () => {
    const params = { [`k${NUL}`]: [`v${LONE}`, { deep: NUL }], plain: 1 };
    const dirty = { id: `i${NUL}`, name: `n${LONE}`, params, output: `o${NUL}${LONE}` };
    const provider = createProvider([
      [reasoning(`r${NUL}`), text(NUL), text(`t${LONE}`), { type: "call", call: dirty }],
      [{ type: "error", code: `c${NUL}`, message: `m${LONE}` }],
    ]);
    const events = await run(provider);
    expect(JSON.stringify(events)).not.toMatch(/\\u0000|\\ud800/i);
    expect(events).toMatchObject([
      { type: "tokens", text: "r" },
      { type: "tokens", text: "t" },
      { type: "tokens", text: "\uFFFD" },
      {
        type: "step finished",
        content: "t\uFFFD",
        calls: [
          {
            id: "i",
            name: "n\uFFFD",
            params: { k: ["v\uFFFD", { deep: "" }], plain: 1 },
            output: "o\uFFFD",
            isError: false,
            durationMs: expect.any(Number),
          },
        ],
      },
      { type: "finished", error: { code: "c", message: "m\uFFFD" } },
    ]);
  });
});

describe("a turn that was interrupted", () => {
  const script = {
    tokenDelayMs: 0,
    steps: [
      { text: "First. ", toolCalls: [{ name: "look", params: {}, output: "seen" }] },
      { reasoning: "Hm.", text: "Second step." },
    ],
  };

  it("gives the same content, whatever it had already published", async () => {
    const whole = (await run(simulatedProvider, { script })).at(-1);
    const finishedSteps = [{ step: 0, content: "First. " }];
    for (let length = 0; length <= "Second step.".length; length++) {
      const prefix = { reasoning: "Hm.", text: "Second step.".slice(0, length) };
      const progress = { finishedSteps, finishedReasoning: "", prefix };
      const events = await run(simulatedProvider, { script, ...progress });
      // Durations vary.
      expect(events.at(-1)).toEqual({ ...whole, record: expect.anything() });
      expect(`First. ${prefix.text}${published(events)}`).toBe("First. Second step.");
    }
  });

  it.each([
    ["text", { text: "Fir", reasoning: "" }],
    ["reasoning", { text: "", reasoning: "Hm" }],
  ])("ends as interrupted after %s that its provider cannot continue", async (_name, prefix) => {
    const provider = createProvider([[text("First. ")]]);
    const events = await run(provider, { prefix });
    expect(events).toMatchObject([
      { type: "finished", content: prefix.text, error: { code: "interrupted" } },
    ]);
    expect(provider.requests).toEqual([]);
  });

  it("continues with the next step of a provider that cannot continue one", async () => {
    const provider = createProvider([[new Error("ran again")], [text("two")]]);
    const finishedSteps = [{ step: 0, content: "one " }];
    const events = await run(provider, { finishedSteps, finishedReasoning: "Hm." });
    expect(events.at(-1)).toMatchObject({ content: "one two", chainOfThought: "Hm.", error: null });
  });
});

describe("summarizeTurn", () => {
  it("joins finished steps and what the interrupted one published", () => {
    const finishedSteps = [{ step: 0, content: "one " }];
    const prefix = { text: "tw", reasoning: "B" };
    expect(
      summarizeTurn({ finishedSteps, finishedReasoning: "A", finishedCalls: [], prefix }),
    ).toEqual({
      step: 1,
      content: "one tw",
      chainOfThought: "AB",
      rawContents: [...finishedSteps, { step: 1, content: "tw" }],
    });
  });
});
