import { globSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createParley } from "parley-client";
import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFleet } from "../replicas/fleet.ts";
import { createPlace, type Demo, startServer } from "../server.ts";
import type { Attack, Target } from "./attack.ts";
import { type Bystander, createBystander, type Latencies } from "./bystander.ts";

// Each attack is made with a valid key of its own workspace, while another workspace continues with
// ordinary requests: those may become slower by a factor, and none of them may fail.

const MIN_MS = 6000;
/** What a workspace that attacks nobody asks for at once. */
const ORDINARY_CALLS = 4;
const FACTOR = 3;
const MAX_LIVEZ_MS = 250;
/** Of single requests, a busy machine makes as much as that by itself. */
const NOISE_MS = 100;

const folder = path.join(import.meta.dirname, "attacks");
const modules = await Promise.all(
  // Written in this folder, each export an attack.
  globSync("*.ts", { cwd: folder }).map(
    (file) => import(path.join(folder, file)) as Promise<Record<string, Attack>>,
  ),
);
const attacks = modules.flatMap((module) => Object.values(module));

/** The only limit of an address that servers of tests have: keys are guessed beyond it. */
const settings = { PARLEY_RATE_FAILED_AUTH_PER_MINUTE: "60" };

interface Servers extends AsyncDisposable {
  readonly urls: readonly [string, ...string[]];
  readonly demo: Demo;
}

/** What a busy workspace sends that does no harm: a bystander's usual times are those beside it. */
async function sendOrdinary({ urls, workspaceId, userKey, agentId }: Target): Promise<void> {
  const until = performance.now() + MIN_MS;
  const send = async (_: unknown, index: number): Promise<void> => {
    const baseUrl = urls[index % urls.length]!;
    const { conversations } = createParley({ baseUrl, workspaceId, apiKey: userKey });
    const mentions = [{ configurationId: agentId }];
    while (performance.now() < until) {
      await conversations.create({ message: { content: "Well?", mentions }, blocking: true });
    }
  };
  await Promise.all(Array.from({ length: ORDINARY_CALLS }, send));
}

/** Runs all attacks on servers that are started for them. */
function attackAll(start: () => Promise<Servers>): void {
  let servers: Servers;
  let target: Target;
  let bystander: Bystander;
  let usual: Latencies;

  beforeAll(async () => {
    servers = await start();
    const { urls, demo } = servers;
    const { workspaceId, adminKey, userKey } = demo;
    const agentId = demo.agents[0]!.sId;
    target = { urls, workspaceId, adminKey, userKey, agentId };
    bystander = await createBystander(urls, demo);
    // The first requests of a process are slower than its usual ones.
    await bystander.during(() => sendOrdinary(target));
    usual = await bystander.during(() => sendOrdinary(target));
  });
  afterAll(async () => {
    bystander?.[Symbol.dispose]();
    await servers?.[Symbol.asyncDispose]();
  });

  test.each(attacks)("withstands $name", { timeout: 120_000 }, async (attack) => {
    // A percentile says something of many requests only.
    const meanwhile = await bystander.during(
      async () => void (await Promise.all([attack.run(target), sleep(MIN_MS)])),
    );
    const took = JSON.stringify({ before: usual, during: meanwhile });
    process.stdout.write(`${attack.name}: a bystander's requests in ms: ${took}\n`);
    const limitOf = (ms: number): number => Math.max(FACTOR * ms, NOISE_MS);
    const late = (["create", "list", "invoke", "render"] as const).filter(
      (kind) => meanwhile.p99[kind] > limitOf(usual.p99[kind]),
    );
    expect({ late, usual, meanwhile }).toEqual({ late: [], usual, meanwhile });
    expect(meanwhile.p99.livez).toBeLessThan(MAX_LIVEZ_MS);
  });
}

// Latencies mean nothing on a machine that runs other suites at the same time.

describe("one embedded server", () => {
  attackAll(async () => {
    const place = await createPlace({ isEmbedded: true });
    const server = await startServer(place, settings);
    return {
      urls: [server.url],
      demo: server.demo,
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  });
});

describe.skipIf(redisServer.isMissing)(`two replicas${redisServer.suffix}`, () => {
  attackAll(async () => {
    const redis: TestRedis = await startTestRedis();
    const place = await createPlace();
    const fleet = await startFleet(
      place,
      { apis: 2, workers: 2 },
      { ...settings, REDIS_URL: redis.url },
    );
    const [first, second] = fleet.apis.map((api) => api?.url ?? "");
    return {
      urls: [first ?? "", second ?? ""],
      demo: fleet.demo,
      [Symbol.asyncDispose]: async () => {
        await fleet[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
        await redis.kill();
      },
    };
  });
});
