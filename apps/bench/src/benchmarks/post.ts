import { startLoadGenerator } from "../load/load-generator.ts";
import { partOfRound } from "../load/part-of-round.ts";
import { formatPost } from "../load/plan.ts";
import { measureLanes } from "../measure.ts";
import { type BenchmarkOptions, sampleTimes } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { ResultRow } from "../report.ts";
import { openClient } from "../scratch-database.ts";
import { seedConversations } from "../seed/seed-conversations.ts";
import { settleDatabase } from "../seed/settle-database.ts";
import { answerPosts, type MeasuredPosts, renderPosts } from "./post-report.ts";

const sizes = [10, 1000] as const;
/** More than a connection gets answered in a second. */
const POSTS_PER_SECOND = 400;
/** A conversation gets no more posts than this part of its messages: it should keep its size. */
const GROWTH = 0.05;
/** Posts to as many others come before the next to a conversation, so that its agent has ended. */
const CYCLE = 50;

/** Measures posts to conversations of few and of many messages, on one connection. */
export async function benchPost(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, resources, rounds, print } = options;
  const database = await postgres.createDatabase(resources, "post");
  const { pid, demo } = await startParley(resources, database.url);
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
  const subject = { name: "parley", pid, backends: database.backends };
  const headers = { Authorization: `Bearer ${demo.adminKey}` };
  const root = new URL(`/api/v1/w/${demo.workspaceId}/assistant/conversations/`, demo.url);
  const measured: MeasuredPosts[] = [];
  for (const blocking of [false, true]) {
    const message = { content: "And this?", mentions: [{ configurationId: "helper" }], blocking };
    const lanes = sizes.map((size) => ({
      subject,
      generator,
      loadOf: (round: number) => ({
        host: root.hostname,
        port: Number(root.port),
        // Blocking posts go to conversations that non-blocking ones have left alone.
        requests: partOfRound(conversations.get(size) ?? [], {
          round: blocking ? rounds + round : round,
          rounds: 2 * rounds,
          atLeast: CYCLE,
        }).map((sid) => formatPost(new URL(`${sid}/messages`, root), headers, message)),
        mustContain: `"status":"${blocking ? "succeeded" : "created"}"`,
        connections: 1,
      }),
    }));
    const samples = await measureLanes(options, lanes);
    for (const [index, messages] of sizes.entries()) {
      measured.push({ messages, blocking, samples: samples[index] ?? [] });
    }
    print(`${blocking ? "blocking" : "non-blocking"}: measured\n`);
  }
  const results = answerPosts(measured);
  print(renderPosts(measured, results));
  return results;
}

/** As many as keep their size while all samples are taken. */
function countConversations(options: BenchmarkOptions, size: number): number {
  const times = Array.from({ length: options.rounds }, (_, round) => sampleTimes(options, round));
  const ms = 2 * times.reduce((sum, { warmUpMs, windowMs }) => sum + warmUpMs + windowMs, 0);
  const posts = (ms / 1000) * POSTS_PER_SECOND;
  return Math.max(CYCLE, Math.ceil(posts / Math.max(1, size * GROWTH)));
}
