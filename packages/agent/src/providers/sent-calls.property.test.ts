import type { ModelService } from "@parley/schema";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorsOf } from "../../testing/called-service.ts";
import { type FakeService, startFakeService } from "../../testing/fake-service.ts";
import { run } from "../../testing/played-turn.ts";
import { countFitting } from "../count-thread.ts";
import { buildPrompt, fitPrompt, type HistoryMessage } from "../prompt.ts";
import type { StepRequest } from "../provider.ts";
import { keptReplay } from "./kept-replay.ts";
import { createServiceProvider, defaultCallLimits } from "./service-provider.ts";

// What histories are sent as: the fake services refuse calls without results, results without calls, ids that
// stand for two calls, and orders of messages, as the real ones do.

const RUNS = 50;
const services: [ModelService, string][] = [
  ["openai", "gpt-5"],
  ["anthropic", "claude-sonnet-4-5"],
  ["google_ai_studio", "gemini-3-pro-preview"],
  ["mistral", "mistral-large-latest"],
  ["deepseek", "deepseek-reasoner"],
  ["fireworks", "accounts/fireworks/models/kimi-k2-instruct"],
  ["xai", "grok-4"],
  ["openai_compatible", "llama"],
];

// As services give them, and models of other services that answered before.
const id = fc.constantFrom(
  "call_0",
  "call_1",
  "call_0_0",
  "functions.look:0",
  "Ab3dE6gH9",
  "x".repeat(80),
);
const text = fc.constantFrom("", " ", "\n", "Yes", "word ".repeat(200));
const called = fc.record({
  id,
  name: fc.constantFrom("look", "ask", "no such.tool", "n".repeat(90)),
  params: fc.constantFrom({}, { at: [1, null, "\u{1F600}"] }),
  output: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom("", "Rain", '{"a":1}') },
    { weight: 1, arbitrary: fc.constant("long ".repeat(25_000)) },
  ),
});
const signed = fc.constantFrom(undefined, "openai", "anthropic", "google", "xai");
const step = fc.record({
  content: text,
  calls: fc.array(called, { minLength: 1, maxLength: 3 }),
  signed,
});
const answer = fc.record({
  type: fc.constant("answer" as const),
  steps: fc.array(step, { maxLength: 3 }),
  // An answer may end with results.
  end: text,
});
const asked = fc.record({
  type: fc.constantFrom("user_message", "content_fragment"),
  content: fc.constantFrom("What?", " \n", "", "long ".repeat(2000)),
});
const history = fc.array(fc.oneof(asked, answer, { weight: 2, arbitrary: answer }), {
  maxLength: 8,
});
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

let signatures = 0;
/** The replay of a step, as the AI SDK's packages give it. */
function toReplay(by: string | undefined) {
  if (by === undefined) return undefined;
  const options = {
    openai: { itemId: `rs_given_${signatures++}`, reasoningEncryptedContent: "encrypted_x" },
    xai: { itemId: `rs_given_${signatures++}`, reasoningEncryptedContent: "encrypted_x" },
    anthropic: { signature: "signed_x" },
    google: { thoughtSignature: "signed_x" },
  }[by];
  return { reasoning: [{ text: "Hm", options: { [by]: options } }], calls: {} };
}

function toSteps({ steps, end }: Answer): NonNullable<HistoryMessage["called"]> {
  const last = { step: steps.length, content: end };
  return {
    finishedSteps: [
      ...steps.map(({ content, signed: by }, index) => ({
        step: index,
        content,
        replay: toReplay(by),
      })),
      ...(end.trim() === "" ? [] : [last]),
    ],
    finishedCalls: steps.flatMap(({ calls }, index) =>
      calls.map((one) => ({ ...one, step: index })),
    ),
  };
}

function toHistory(one: Answer | { type: string; content: string }): HistoryMessage {
  if (!("steps" in one)) return one;
  const { steps, end } = one;
  const content = steps.map((each) => each.content).join("") + end;
  return { type: "agent_message", content, ...(steps.length > 0 && { called: toSteps(one) }) };
}

describe.each(services)("the history of %s", (service, modelId) => {
  let fake: FakeService;
  let provider: ReturnType<typeof createServiceProvider>;
  beforeAll(async () => {
    fake = await startFakeService({ pieceSize: 1000 });
    const access = { apiKey: "key", baseUrl: `${fake.url}/${service}/v1` };
    provider = createServiceProvider(service, access, { ...defaultCallLimits, maxRetries: 0 });
  });
  beforeEach(() => void (fake.requests.length = 0));
  afterAll(() => fake.close());

  it("is one that the service takes, however much of it fits", async () => {
    const budgets = { characters: fc.nat(300_000), tokens: fc.integer({ min: 100, max: 200_000 }) };
    const given = fc.record({ history, current: fc.array(step, { maxLength: 2 }), ...budgets });
    await fc.assert(
      fc.asyncProperty(given, async ({ history: before, current, characters, tokens }) => {
        const messages = [
          ...before.map(toHistory),
          { type: "user_message", content: "The question" },
        ];
        const prompt = buildPrompt({ instructions: "Be kind" }, messages, characters);
        const tools = ["look", "ask"].map((name) => {
          return { name, description: "", inputSchema: { type: "object" } };
        });
        const { finishedSteps, finishedCalls } = toSteps({
          type: "answer",
          steps: current,
          end: "",
        });
        const request: StepRequest = {
          modelId,
          temperature: 1,
          prompt,
          tools,
          finishedSteps: finishedSteps.map(({ replay: _ofOthers, ...one }) => one),
          finishedCalls,
          step: current.length,
          rank: before.length + 1,
          script: null,
          prefix: { text: "", reasoning: "" },
          signal: new AbortController().signal,
        };
        const fitting = await fitPrompt(request, tokens, async (count) => countFitting(count));
        fake.script = {
          steps: Array.from({ length: 4 }, () => ({ text: "Fine" })),
          tokenDelayMs: 0,
        };
        const parts = await Array.fromAsync(provider.streamStep({ ...request, prompt: fitting }));
        expect(errorsOf(parts)).toEqual([]);
        expect(fake.requests.at(-1)).toMatchObject({
          message: "The question",
          step: current.length,
        });
        // The newest stay, in their order.
        const [first, ...rest] = fitting;
        expect(first).toMatchObject({ role: "system", isPinned: true });
        expect(rest).toEqual(prompt.slice(prompt.length - rest.length));
        expect(rest[0]?.role).not.toMatch(/assistant|tool/);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it("is given in the turns that follow as in the turn that made it", async () => {
    fake.script = {
      steps: [
        {
          reasoning: "Hm",
          text: "Looking",
          toolCalls: ["look", "ask"].map((name) => ({ name, params: {} })),
        },
        { reasoning: "And", toolCalls: [{ name: "look", params: { at: 2 } }] },
        { text: "Done: {{result}}" },
      ],
      tokenDelayMs: 0,
    };
    const offered = {
      tools: ["look", "ask"].map((name) => ({
        name,
        description: "",
        inputSchema: { type: "object" },
        run: async () => ({ output: `${name} \u{1F600}`, isError: false }),
      })),
    };
    const turns: HistoryMessage[] = [];
    for (const question of ["First", "Second", "Third"]) {
      turns.push({ type: "user_message", content: question });
      const prompt = buildPrompt({ instructions: "Be kind" }, turns, 1e6);
      const events = await run(provider, {
        ...offered,
        modelId,
        prompt,
        reasoningEffort: "low" as never,
      });
      const steps = events.filter((event) => event.type === "step finished");
      const last = events.at(-1);
      if (last?.type !== "finished") throw new Error("The turn has not finished");
      expect(last).toMatchObject({
        error: null,
        content: expect.stringContaining("Done: look \u{1F600}"),
      });
      turns.push({
        type: "agent_message",
        content: last.content,
        called: {
          finishedSteps: last.rawContents.map(({ step: number, content }) => {
            return { step: number, content, replay: keptReplay(steps[number]?.record.replay) };
          }),
          finishedCalls: steps.flatMap(({ calls, step: number }) =>
            calls.map((one) => ({ ...one, output: one.output ?? "", step: number })),
          ),
        },
      });
    }
    expect(fake.requests).toHaveLength(9);
    // Reasoning that is not signed is for its turn only.
    const withoutThoughts = (name: string, value: unknown) => {
      if (name === "reasoning_content") return undefined;
      if (!Array.isArray(value)) return value;
      return value.filter((one: { thought?: boolean }) => one.thought !== true);
    };
    const sent = fake.requests.map(({ body: { messages, input, contents } }) => {
      const given = JSON.stringify(messages ?? input ?? contents, withoutThoughts);
      return JSON.parse(given) as unknown[];
    });
    for (const [index, messages] of sent.entries()) {
      const next = sent[index + 1] ?? messages;
      expect(next.slice(0, messages.length)).toEqual(messages);
    }
  });
});
