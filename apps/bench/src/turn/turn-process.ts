import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createServiceProvider, runTurn } from "@parley/agent";
import { streamText } from "ai";
import { answerParent } from "../child-requests.ts";
import { openTurnWorker } from "./turn-worker.ts";

const MODEL = "bench";
const QUESTION = "Say a few words";

/** What a process is asked to do: so many turns at once, of a model at this address. */
export interface TurnRound {
  readonly subject: "ai" | "turn" | "worker";
  readonly url: string;
  readonly turns: number;
}

/** What it took. */
export interface TurnCost {
  readonly cpuMs: number;
  readonly tokens: number;
}

/** The AI SDK by itself: the stream of `streamText`, read to its end. */
async function drainAi(url: string): Promise<number> {
  const model = createOpenAICompatible({ name: "bench", baseURL: url }).languageModel(MODEL);
  const { textStream } = streamText({ model, prompt: QUESTION, maxRetries: 0 });
  let tokens = 0;
  for await (const _ of textStream) tokens++;
  return tokens;
}

/** A turn of ours, whose events go nowhere. */
async function drainTurn(url: string): Promise<number> {
  const events = runTurn({
    provider: createServiceProvider("openai_compatible", { baseUrl: url }),
    modelId: MODEL,
    temperature: 1,
    prompt: [{ role: "user", content: QUESTION }],
    tools: [],
    functions: [],
    script: null,
    maxSteps: 8,
    contextTokens: 32_000,
    countFitting: async ({ texts }) => texts.length,
    finishedSteps: [],
    finishedReasoning: "",
    finishedCalls: [],
    prefix: { text: "", reasoning: "" },
    signal: new AbortController().signal,
  });
  let tokens = 0;
  for await (const event of events) if (event.type === "tokens") tokens++;
  return tokens;
}

const worker = openTurnWorker(process.argv[2]);

const handlers = {
  run: async ({ subject, url, turns }: TurnRound): Promise<TurnCost> => {
    const start = subject === "worker" ? await worker.prepare(url, turns) : undefined;
    const drain = subject === "ai" ? drainAi : drainTurn;
    const all = () => Promise.all(Array.from({ length: turns }, () => drain(url)));
    const before = process.cpuUsage();
    const counts = start === undefined ? await all() : [await start()];
    const { user, system } = process.cpuUsage(before);
    const tokens = counts.reduce((sum, count) => sum + count, 0);
    return { cpuMs: (user + system) / 1000, tokens };
  },
};
export type TurnHandlers = typeof handlers;

answerParent(handlers);
