import { startLoadGenerator } from "../load/load-generator.ts";
import { partOfRound } from "../load/plan.ts";
import {
  type Measured,
  measureLoads,
  processorMicros,
  type Sample,
  samplesOf,
  tabulate,
} from "../measure.ts";
import { type BenchmarkOptions, sampleTimes } from "../options.ts";
import { conversationsPath, startParley } from "../parley-server.ts";
import { type Findings, ratio } from "../report.ts";
import { openClient, settleDatabase } from "../scratch-database.ts";
import { seedConversations } from "../seed/seed-conversations.ts";

const sizes = [10, 1000] as const;
/** More than a connection gets answered in a second. */
const POSTS_PER_SECOND = 400;
/** A conversation gets no more posts than this part of its messages: it should keep its size. */
const GROWTH = 0.05;
/** Posts to as many others come before the next to a conversation, so that its agent has ended. */
const CYCLE = 50;

/** Measures posts to conversations of few and of many messages, on one connection. */
export async function benchPost(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds, print } = options;
  const database = await postgres.createDatabase(resources, "post");
  const { subject, address, post } = await startParley(resources, database);
  const client = await openClient(resources, database.url);
  const conversations = new Map<number, readonly string[]>();
  for (const size of sizes) {
    const count = countConversations(options, size);
    const seed = { conversations: count, messages: size, tokens: 1 };
    conversations.set(size, await seedConversations(client, seed));
    print(`${count} conversations of ${size} messages: seeded\n`);
  }
  await settleDatabase(client);
  const generator = startLoadGenerator(resources);
  const measured: Measured<Sample>[] = [];
  for (const blocking of [false, true]) {
    const message = { content: "And this?", mentions: [{ configurationId: "helper" }], blocking };
    const name = blocking ? "blocking" : "non-blocking";
    const lanes = sizes.map((messages) => ({
      labels: { post: name, messages },
      subject,
      generator,
      load: (round: number) => ({
        ...address,
        // Blocking posts go to conversations that non-blocking ones have left alone.
        requests: partOfRound(conversations.get(messages) ?? [], {
          round: blocking ? rounds + round : round,
          rounds: 2 * rounds,
          atLeast: CYCLE,
        }).map((sid) => post(`${conversationsPath}/${sid}/messages`, message)),
        mustContain: `"status":"${blocking ? "succeeded" : "created"}"`,
        connections: 1,
      }),
    }));
    measured.push(...(await measureLoads(options, name, lanes)));
  }
  const questions = ["non-blocking", "blocking"].flatMap((kind) => {
    const name = `1,000 messages over 10, ${kind} post`;
    const sides = {
      of: samplesOf(measured, { post: kind, messages: 1000 }),
      over: samplesOf(measured, { post: kind, messages: 10 }),
    };
    return [
      ratio(`${name}: p50`, sides, {
        read: ({ p50Ms }) => p50Ms,
        target: { atMost: 1.2 },
      }),
      ratio(`${name}: processor time of server and database`, sides, { read: processorMicros }),
    ];
  });
  return { tables: [tabulate(measured, "posts")], questions };
}

/** As many as keep their size while all samples are taken. */
function countConversations(options: BenchmarkOptions, size: number): number {
  const times = Array.from({ length: options.rounds }, (_, round) => sampleTimes(options, round));
  const ms = 2 * times.reduce((sum, { warmUpMs, windowMs }) => sum + warmUpMs + windowMs, 0);
  const posts = (ms / 1000) * POSTS_PER_SECOND;
  return Math.max(CYCLE, Math.ceil(posts / Math.max(1, size * GROWTH)));
}
