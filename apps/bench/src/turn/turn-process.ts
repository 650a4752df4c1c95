import { setTimeout as sleep } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createServiceProvider, runTurn } from "@parley/agent";
import { startFakeService } from "@parley/agent/testing";
import { createCore, createLocalBus } from "@parley/core";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
} from "@parley/core/testing";
import { events, openPostgres, runs, workspaces } from "@parley/db";
import { createWorker } from "@parley/worker";
import { WorkerSettings } from "@parley/worker/config";
import { streamText } from "ai";
import { eq, ne } from "drizzle-orm";
import { pino } from "pino";
import { answerParent } from "../child-requests.ts";
import { textParts } from "@parley/agent";

const MODEL = "bench";
const QUESTION = "Say a few words";
const POLL_MS = 50;

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
  const said = runTurn({
    provider: createServiceProvider("openai_compatible", { baseUrl: url }),
    modelId: MODEL,
    temperature: 1,
    prompt: [{ role: "user", parts: textParts(QUESTION) }],
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
  for await (const event of said) if (event.type === "tokens") tokens++;
  return tokens;
}

/** A worker on a PostgreSQL database, and turns for it. */
interface TurnWorker {
  /** Makes turns that wait, and gives what runs them all and counts their tokens. */
  prepare(url: string, turns: number): Promise<() => Promise<number>>;
}

/** Opens the database with the first turns that are asked for. */
function openTurnWorker(databaseUrl: string | undefined): TurnWorker {
  const open = async () => {
    if (databaseUrl === undefined) throw new Error("The worker needs PostgreSQL");
    const database = await openPostgres({ url: databaseUrl });
    const parts = {
      database,
      bus: createLocalBus(),
      blockingTimeoutMs: 180_000,
      safetyPollMs: 30_000,
      waitingRuns: 0,
      fileLimits: { fileBytes: 0 },
      workspaceBytes: 2 ** 40,
      conversationLimits: { messages: 10_000, bytes: 2 ** 26 },
      dataSourceLimits: { sources: 0, nodes: 0, bytes: 0 },
    };
    const core = createCore(parts, () => "http://bench");
    const workspace = await insertTestWorkspace(core);
    const models = ["openai_compatible/bench"];
    await database.db.update(workspaces).set({ models }).where(eq(workspaces.id, workspace.id));
    const model = { providerId: "openai_compatible", modelId: "bench" };
    await insertTestAgent(core, workspace, { sid: "bench", ...model });
    const context = await openTestContext(core, workspace);
    return { core, context };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    prepare: async (url, turns) => {
      const { core, context } = await (opened ??= open());
      const { db } = core.database;
      await db.delete(events);
      for (let made = 0; made < turns; made++) await createTestConversation(context, ["bench"]);
      const settings = WorkerSettings.parse({
        PARLEY_OPENAI_COMPATIBLE_URL: url,
        PARLEY_WORKER_CONCURRENCY: turns,
        PARLEY_WORKSPACE_TURNS: turns,
      });
      const worker = createWorker({ core, settings, logger: pino({ level: "warn" }) });
      return async () => {
        worker.start();
        while ((await db.$count(runs, ne(runs.status, "finished"))) > 0) await sleep(POLL_MS);
        await worker.close(0);
        return db.$count(events, eq(events.type, "generation_tokens"));
      };
    },
  };
}

const worker = openTurnWorker(process.argv[2]);

const handlers = {
  /** Plays a service whose model answers with `tokens` words, one every `delayMs`. */
  serve: async ({ tokens, delayMs }: { tokens: number; delayMs: number }): Promise<string> => {
    const script = { steps: [{ text: "word ".repeat(tokens) }], tokenDelayMs: delayMs };
    const service = await startFakeService({ script, pieceSize: "word ".length });
    return `${service.url}/v1`;
  },
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
