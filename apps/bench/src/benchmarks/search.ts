import { setTimeout as pause } from "node:timers/promises";
import { createRpcClient, type RpcClient } from "parley-client";
import { startLoadGenerator } from "../load/load-generator.ts";
import { type Lane, measure, processorMicros, type Sample, sampleInTurn } from "../measure.ts";
import { type BenchmarkOptions, sampleTimes } from "../options.ts";
import { type Findings, type Question, ratio } from "../report.ts";
import { openClient, type ScratchDatabase, settleDatabase } from "../scratch-database.ts";
import { seedConversations } from "../seed/seed-conversations.ts";
import { percentile } from "../statistics.ts";
import { startCreator } from "./create.ts";

const full = { conversations: 10_000, messages: 20 };
const quick = { conversations: 1000, messages: 20 };
/** Searches of a kind in a round, one after the other. */
const SEARCHES = 40;
const AT_MOST = { atMost: 200 };
const INDEXING_MS = 500;
const CAUGHT_UP_MS = 10_000;

/**
 * Measures searches for the words of messages, with 10,000 conversations of 100,000 answers, how long indexing them
 * takes, and creates beside the indexing of what they create.
 */
export async function benchSearch(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds, print } = options;
  const size = options.quick ? quick : full;
  const database = await postgres.createDatabase(resources, "search");
  const server = await startCreator(resources, database);
  const { demo } = server;
  const client = await openClient(resources, database.url);
  const sids = await seedConversations(client, { ...size, tokens: 1 });
  await settleDatabase(client);
  // The messages are older than the server's first run: they are indexed as after an upgrade.
  const startedAt = performance.now();
  await client.query("delete from message_index");
  const rpc = createRpcClient({ url: demo.url, apiKey: demo.adminKey });
  const wId = demo.workspaceId;
  while (!(await rpc.search.messages.query({ wId, query: "say" })).isComplete) {
    await pause(INDEXING_MS);
  }
  const indexedMs = performance.now() - startedAt;
  print(`indexed ${size.conversations * size.messages} messages\n`);
  await settleDatabase(client);
  const third = await placeOfThirdPage(rpc, wId);
  const inputOf: Readonly<Record<string, (index: number) => SearchInput>> = {
    "a word of every message": () => ({ query: "say" }),
    "a word of every answer that failed": () => ({ query: "say", status: "failed" }),
    "two words of every message, the third page": () => ({ query: "you say", lastValue: third }),
    "a word of one conversation": (index) => ({ query: sids[index % sids.length] ?? "" }),
    "a word of none": () => ({ query: "pomegranate" }),
  };
  const questions: Question[] = [
    {
      name: `indexing of ${size.conversations * size.messages} messages: s`,
      of: [indexedMs / 1000],
    },
  ];
  for (const [name, input] of Object.entries(inputOf)) {
    const of: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const taken: number[] = [];
      for (let index = 0; index < SEARCHES; index++) {
        const from = performance.now();
        await rpc.search.messages.query({ wId, ...input(index) });
        taken.push(performance.now() - from);
      }
      of.push(percentile(taken, 0.95));
    }
    questions.push({ name: `search for ${name}, p95: ms`, of, target: AT_MOST });
    print(`measured ${name}\n`);
  }
  return { questions: [...questions, ...(await askCreates(options, server, database))] };
}

/** Creates while their messages are indexed, over creates while another session holds the index. */
async function askCreates(
  options: BenchmarkOptions,
  server: Awaited<ReturnType<typeof startCreator>>,
  { url }: ScratchDatabase,
): Promise<Question[]> {
  const { resources, rounds, print } = options;
  const generator = startLoadGenerator(resources);
  const holder = await openClient(resources, url);
  const load = server.loadOf({ blocking: true, connections: 16 });
  const take = (round: number) =>
    measure(server.subject, generator, { ...load, ...sampleTimes(options, round) });
  const lanes: Lane<Sample>[] = [
    { labels: {}, take },
    {
      labels: {},
      take: async (round) => {
        await holder.query("begin");
        await holder.query("select from message_index for update");
        const sample = await take(round);
        await holder.query("commit");
        // What has piled up is not the next sample's.
        await pause(CAUGHT_UP_MS);
        return sample;
      },
    },
  ];
  const [indexed, held] = await sampleInTurn(lanes, rounds);
  print("measured creates\n");
  const sides = { of: indexed?.samples ?? [], over: held?.samples ?? [] };
  const name = "blocking creates with indexing over those without";
  return [
    ratio(`${name}: creates/s`, sides, {
      read: (sample) => sample.perSecond,
      target: { atLeast: 0.95 },
    }),
    ratio(`${name}: processor time of server and database`, sides, { read: processorMicros }),
  ];
}

interface SearchInput {
  readonly query: string;
  readonly status?: "failed";
  readonly lastValue?: string | undefined;
}

async function placeOfThirdPage(rpc: RpcClient, wId: string): Promise<string | undefined> {
  let lastValue: string | undefined;
  for (let page = 0; page < 2; page++) {
    const found = await rpc.search.messages.query({ wId, query: "you say", lastValue });
    lastValue = found.lastValue ?? undefined;
  }
  return lastValue;
}
