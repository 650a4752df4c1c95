import { describe, expect, it } from "vitest";
import type { StepPart } from "./provider.ts";
import { MAX_ANSWER_CHARACTERS } from "./run-step.ts";
import { call, createProvider, published, run, text } from "../testing/played-turn.ts";

describe("a model's answer", () => {
  it("is joined if a character was split over two parts", async () => {
    const half = "\u{1F600}"[0] ?? "";
    const rest = "\u{1F600}"[1] ?? "";
    const events = await run(createProvider([[text(`a${half}`), text(rest), text(`b${half}`)]]));
    expect(published(events)).toBe("a\u{1F600}b\uFFFD");
    expect(events.at(-1)).toMatchObject({ content: "a\u{1F600}b\uFFFD" });
  });

  it("ends the turn when it exceeds its bound, with the text that fits", async () => {
    const piece = "x".repeat(1024 * 1024);
    const provider = createProvider([Array.from({ length: 10 }, () => text(piece))]);
    const last = (await run(provider)).at(-1);
    expect(last).toMatchObject({ type: "finished", error: { code: "output_too_large" } });
    expect(last).toHaveProperty("content.length", MAX_ANSWER_CHARACTERS);
  });

  it("says which calls were made again, when and why", async () => {
    const retry = { type: "retry", code: "busy", message: "Busy\u0000", pauseMs: 1.5 } as const;
    const events = await run(createProvider([[retry, text("a")]]));
    const [kept] = events.flatMap((event) =>
      "record" in event ? (event.record?.retries ?? []) : [],
    );
    expect(kept).toEqual({ at: expect.any(Number), code: "busy", message: "Busy", pauseMs: 2 });
  });

  it("is counted step by step, and each step gets the replay of the previous one", async () => {
    const usage: StepPart = { type: "usage", inputTokens: 5, outputTokens: 3 };
    const replay: StepPart = { type: "replay", replay: { signature: "s\u0000" } };
    const provider = createProvider([
      [text("a"), call("look"), usage, replay],
      [text("b"), usage],
    ]);
    const events = await run(provider);
    const record = { inputTokens: 5, outputTokens: 3, durationMs: expect.any(Number) };
    expect(events.filter(({ type }) => type !== "tokens")).toMatchObject([
      { type: "step finished", record: { step: 0, ...record, replay: { signature: "s" } } },
      { type: "finished", record: { step: 1, ...record } },
    ]);
    expect(provider.requests[1]?.finishedSteps).toEqual([
      { step: 0, content: "a", replay: { signature: "s" } },
    ]);
  });
});
