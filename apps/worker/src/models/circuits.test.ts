import type { ModelProvider, StepPart } from "@parley/agent";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createCircuits, watchProvider } from "./circuits.ts";

const secret = "sk-a-credential-of-a-workspace";
const called = { providerId: "openai", apiKey: secret };
const others = [{ providerId: "openai" }, { providerId: "xai", apiKey: secret }];

const open = () => {
  let timeMs = 0;
  const registry = new Registry();
  const circuits = createCircuits(registry, () => timeMs);
  return {
    circuits,
    metrics: () => registry.metrics(),
    pass: (ms: number) => void (timeMs += ms),
    fail: (times: number) => {
      for (let time = 0; time < times; time++) circuits.failed(called);
    },
  };
};

describe("a circuit", () => {
  it("opens after five failures in a row, for its provider and credential alone", () => {
    const { circuits, fail } = open();
    fail(4);
    circuits.succeeded(called);
    fail(4);
    expect(circuits.admits(called)).toBe(true);
    fail(1);
    expect(circuits.admits(called)).toBe(false);
    expect(others.map((other) => circuits.admits(other))).toEqual([true, true]);
  });

  it("lets one call probe after its time, and closes when that succeeds", () => {
    const { circuits, fail, pass } = open();
    fail(5);
    pass(29_999);
    expect(circuits.admits(called)).toBe(false);
    pass(1);
    expect([circuits.admits(called), circuits.admits(called)]).toEqual([true, false]);
    circuits.succeeded(called);
    expect([circuits.admits(called), circuits.admits(called)]).toEqual([true, true]);
  });

  it("opens again when the probe fails, and lets another one probe when it ends without an outcome", () => {
    const { circuits, fail, pass } = open();
    fail(5);
    pass(30_000);
    expect(circuits.admits(called)).toBe(true);
    circuits.failed(called);
    pass(29_999);
    expect(circuits.admits(called)).toBe(false);
    pass(1);
    expect(circuits.admits(called)).toBe(true);
    circuits.abandoned(called);
    expect([circuits.admits(called), circuits.admits(called)]).toEqual([true, false]);
    // A probe that never ends holds the others up for a while only.
    pass(300_000);
    expect(circuits.admits(called)).toBe(true);
  });

  it("is counted by provider and state, and tells no credential", async () => {
    const { circuits, fail, pass, metrics } = open();
    fail(7);
    circuits.succeeded({ providerId: "openai", apiKey: "another" });
    const state = (name: string, count: number) =>
      `parley_model_circuits{gen_ai_provider_name="openai",state="${name}"} ${count}`;
    const shown = await metrics();
    expect(shown).toContain(state("open", 1));
    expect(shown).toContain(state("closed", 1));
    expect(shown).toContain('parley_model_circuit_trips_total{gen_ai_provider_name="openai"} 1');
    expect(shown).not.toContain(secret);
    pass(30_000);
    expect(await metrics()).toContain(state("half_open", 1));
  });

  it("is forgotten when a thousand others have been used since", async () => {
    const { circuits, fail, metrics } = open();
    fail(5);
    for (let index = 0; index < 1000; index++) {
      circuits.failed({ providerId: "openai", apiKey: `key ${index}` });
    }
    expect(await metrics()).toContain('state="closed"} 1000');
    expect(circuits.admits(called)).toBe(true);
  });
});

describe("a watched provider", () => {
  const error = (isOutage: boolean): StepPart => ({
    type: "error",
    code: "c",
    message: "",
    isOutage,
  });
  const text: StepPart = { type: "text", text: "Hi" };
  const told = async (parts: readonly StepPart[], take = Infinity) => {
    const outcomes: string[] = [];
    const note = (outcome: string) => () => void outcomes.push(outcome);
    const provider: ModelProvider = {
      canContinue: false,
      countsTokens: false,
      async *streamStep() {
        yield* parts;
      },
    };
    const watched = watchProvider(provider, "openai", {
      ...open().circuits,
      succeeded: note("succeeded"),
      failed: note("failed"),
      abandoned: note("abandoned"),
    });
    // Only the credential of the request is read.
    const stream = watched.streamStep({} as Parameters<ModelProvider["streamStep"]>[0]);
    let seen = 0;
    for await (const part of stream) if (part !== undefined && ++seen >= take) break;
    return outcomes;
  };

  it.each([
    { name: "an outage", parts: [error(true)], is: "failed" },
    { name: "a refusal", parts: [error(false)], is: "succeeded" },
    { name: "an outage after the first token", parts: [text, error(true)], is: "succeeded" },
    { name: "an empty answer", parts: [], is: "succeeded" },
    {
      name: "an end before the first token",
      parts: [{ type: "text", text: "" }, text],
      take: 1,
      is: "abandoned",
    },
  ] as const)("reports $name once", async ({ parts, is, ...more }) => {
    expect(await told(parts, "take" in more ? more.take : undefined)).toEqual([is]);
  });
});
