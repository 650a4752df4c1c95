import type { ModelService } from "@parley/schema";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { limits, secret } from "../../testing/called-service.ts";
import { type SeenRequest, startFakeService } from "../../testing/fake-service.ts";
import { run } from "../../testing/played-turn.ts";
import type { StepRecord, TurnEvent, TurnProgress } from "../contract.ts";
import { buildPrompt, type HistoryMessage } from "../prompt.ts";
import type { ToolDefinition } from "../provider.ts";
import type { BuiltInTool } from "../tools.ts";
import { createServiceProvider } from "./service-provider.ts";

// Services cache a request by how it begins: from step to step and from turn to turn, it only grows.

const services: [ModelService, string][] = [
  ["openai", "gpt-5"],
  ["anthropic", "claude-sonnet-4-5"],
  ["google_ai_studio", "gemini-3-pro-preview"],
  ["openai_compatible", "llama"],
  ["deepseek", "deepseek-chat"],
  ["fireworks", "accounts/fireworks/models/kimi-k2-instruct"],
  ["mistral", "mistral-large-latest"],
  ["xai", "grok-4"],
];

const inputSchema = { type: "object", properties: { zoom: {}, at: {}, "10": {} } };
const look: BuiltInTool = {
  name: "look",
  description: "Looks",
  inputSchema,
  run: async (params) => ({ output: `Seen: ${JSON.stringify(params)}`, isError: false }),
};
const search: ToolDefinition = { name: "search", description: "Searches", inputSchema };

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
// Names that PostgreSQL puts into another order than the model.
const given = fc.dictionary(
  fc.constantFrom("zoom", "query", "at", "10", "limit", "2"),
  fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" }),
);
const step = fc.record({
  text: words,
  reasoning: fc.option(words, { nil: undefined }),
  toolCalls: fc.array(fc.record({ name: fc.constantFrom("look", "search"), params: given }), {
    minLength: 1,
    maxLength: 3,
  }),
});
const turn = fc.record({
  attachment: fc.option(words, { nil: undefined }),
  question: words,
  steps: fc.array(step, { maxLength: 3 }),
  answer: words,
});
const conversation = fc.record({
  // Short requests are sent without a word of the cache.
  instructions: fc.constantFrom(null, "Be kind.", "Be kind. ".repeat(200)),
  turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
});

it.each(services)(
  "a request of %s begins with those of the steps and turns before it",
  { timeout: 60_000 },
  async (id, modelId) => {
    const service = await startFakeService({ apiKey: secret });
    onTestFinished(service.close);
    const access = { apiKey: secret, baseUrl: `${service.url}/${id}/v1` };
    const provider = createServiceProvider(id, access, limits);
    const property = fc.asyncProperty(conversation, async ({ instructions, turns }) => {
      const history: HistoryMessage[] = [];
      let earlier: string[] = [];
      for (const { attachment, question, steps, answer } of turns) {
        if (attachment !== undefined) {
          const about = { title: "notes.txt", contentType: "text/plain" };
          history.push({ type: "content_fragment", content: attachment, ...about });
        }
        history.push({ type: "user_message", content: question });
        service.requests.length = 0;
        service.onRequest = () => {
          const played = steps[service.requests.length - 1] ?? { text: answer };
          service.script = { steps: Array(32).fill(played), tokenDelayMs: 0 };
        };
        const skills = [{ name: "Maps", description: "Reads maps" }];
        const prompt = buildPrompt({ instructions, skills }, history, Infinity);
        // oxlint-disable-next-line no-await-in-loop -- a turn after the other
        const said = await playTurn((progress) =>
          run(provider, {
            modelId,
            prompt,
            tools: [look],
            functions: [search],
            cacheScope: "agent conversation",
            ...progress,
          }),
        );
        expect(service.requests).toHaveLength(steps.length + 1);
        const sent = service.requests.map(unitsOf);
        for (const [index, units] of sent.entries()) {
          const before = sent[index - 1] ?? earlier;
          expect(units.slice(0, before.length)).toEqual(before);
          expect(units.length).toBeGreaterThan(before.length);
        }
        earlier = sent[0] ?? [];
        history.push({ type: "agent_message", content: said });
      }
    });
    await fc.assert(property, { numRuns: 12 });
  },
);

/** Plays a turn, which is stored and loaded again wherever it is suspended; gives its text. */
async function playTurn(play: (progress: TurnProgress) => Promise<TurnEvent[]>): Promise<string> {
  let progress: TurnProgress = {
    finishedSteps: [],
    finishedReasoning: "",
    finishedCalls: [],
    prefix: { text: "", reasoning: "" },
  };
  const records = new Map<number, StepRecord>();
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- an attempt after the other
    const events = await play(progress);
    const calls = [...progress.finishedCalls];
    for (const event of events) {
      if (event.type === "finished") {
        if (event.error !== null) throw new Error(event.error.message);
        return event.content;
      }
      if (event.type !== "step finished") continue;
      records.set(event.step, event.record);
      calls.push(
        ...event.calls.map(({ id, name, params, output = `Found ${id}` }) => {
          return { id, name, params, output, step: event.step };
        }),
      );
    }
    const last = events.at(-1);
    if (last?.type !== "step finished") throw new Error("It has no end");
    progress = {
      ...progress,
      finishedSteps: last.rawContents.map((one) => {
        return { ...one, replay: asStored(records.get(one.step)?.replay) };
      }),
      finishedCalls: calls.map((call) => ({
        ...call,
        params: asStored(call.params) as Record<string, unknown>,
      })),
    };
  }
}

/** A value as jsonb gives it back: shorter names come first. */
function asStored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asStored);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, asStored(one)] as const);
  const order = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1);
  return Object.fromEntries(members.toSorted(([a], [b]) => order(a, b)));
}

/** What a service reads of a request, in its order, byte for byte; without the marks of what it should cache. */
function unitsOf({ body }: SeenRequest): string[] {
  const { tools, system, systemInstruction, messages, input, contents } = body;
  const list = (messages ?? input ?? contents) as Record<string, unknown>[];
  // Messages of one author may be sent as one.
  const units = list.flatMap(({ content, parts, ...message }): object[] => {
    const pieces = content ?? parts;
    if (!Array.isArray(pieces)) return [{ ...message, content }];
    return pieces.map((piece: object) => ({ ...message, piece }));
  });
  return [tools, system, systemInstruction, ...units].map((one) =>
    JSON.stringify(one ?? null, (name, value: unknown) =>
      name === "cache_control" ? undefined : value,
    ),
  );
}
