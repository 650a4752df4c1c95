import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pinToCore, startProcess } from "../child-process.ts";
import { type AskChild, askingChild } from "../child-requests.ts";
import { readResidentBytes, readUsage, usageBetween, waitUntilIdle } from "../proc.ts";
import { percentile } from "../statistics.ts";
import type { FollowerRequests } from "./follower-process.ts";
import type { Arrivals } from "./followers.ts";
import { countEvents, type PublishPlan } from "./publish-plan.ts";
import type { FanoutServer, FanoutSubject } from "./subjects.ts";

/** The server is kept on the core before. */
const CORE = 1;
/** Streams that are opened and closed first, so that what a process loads once is not counted. */
const WARM_UP_STREAMS = 200;
const SETTLE_MS = 500;

/** The process that follows. */
export interface FollowerGenerator {
  readonly pid: number;
  /** Whether it has a core of its own. */
  readonly isPinned: boolean;
  readonly ask: AskChild<FollowerRequests>;
}

/** Starts the process that follows, on a core of its own; it ends with `resources`. */
export async function startFollowerGenerator(
  resources: AsyncDisposableStack,
): Promise<FollowerGenerator> {
  const file = fileURLToPath(new URL("follower-process.ts", import.meta.url));
  const started = startProcess(resources, {
    name: "The followers",
    arguments: [file],
    messages: true,
  });
  const isPinned = await pinToCore(started.pid, CORE);
  return { pid: started.pid, isPinned, ask: askingChild(started) };
}

/** A server whose logs are published to, and their followers. */
export interface Followed {
  readonly subject: FanoutSubject;
  /** Name of the followers' set; undefined if nobody follows. */
  readonly set: string | undefined;
  readonly followersPerLog: number;
}

/** One measurement. */
export interface FanoutSample {
  readonly events: number;
  readonly deliveries: number;
  readonly perSecond: number;
  /** Processor time by role. */
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of the machine that everything else used in the meantime: what makes a sample noisy. */
  readonly othersShare: number | undefined;
}

/** Has a plan published, after a fourth of it to warm up, and measures until all has arrived. */
export async function sampleFanout(
  generator: FollowerGenerator,
  followed: Followed,
  plan: PublishPlan,
): Promise<FanoutSample> {
  const { subject } = followed;
  await publishAndWait(generator, followed, { ...plan, rounds: Math.ceil(plan.rounds / 4) });
  await waitUntilIdle(subject.pid);
  const read = async () => {
    const load = [generator.pid, process.pid];
    return readUsage({ server: [subject.pid], load, database: await subject.backends() });
  };
  const before = await read();
  const { times, deliveries, timed } = await publishAndWait(generator, followed, plan);
  const { elapsedMs, cpuMs, othersShare } = usageBetween(before, await read());
  const latencies = timed.map(([round, atMs]) => atMs - (times[round] ?? Number.NaN));
  return {
    events: countEvents(plan),
    deliveries,
    perSecond: (deliveries * 1000) / elapsedMs,
    cpuMs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    othersShare,
  };
}

async function publishAndWait(
  { ask }: FollowerGenerator,
  { subject, set, followersPerLog }: Followed,
  plan: PublishPlan,
): Promise<Arrivals & { readonly times: readonly number[] }> {
  if (set === undefined) return { times: await subject.publish(plan), deliveries: 0, timed: [] };
  await ask("watch", { set, deliveries: countEvents(plan) * followersPerLog });
  const times = await subject.publish(plan);
  return { times, ...(await ask("arrivals", { set })) };
}

/** What one delivery cost in a sample. */
export interface DeliveryCost {
  /** Microseconds of the server's processor time. */
  readonly serverMicros: number;
  /** The same without what it takes to publish as much when nobody follows. */
  readonly deliveryMicros: number;
  readonly p99Ms: number;
}

/**
 * The cost of a delivery in each sample; `alone` are the samples, taken in the same rounds, if
 * nobody followed: none of a server that stores nothing.
 */
export function costDeliveries(
  samples: readonly FanoutSample[],
  alone: readonly FanoutSample[],
): DeliveryCost[] {
  return samples.map((sample, round) => {
    const { cpuMs, events, deliveries, p99Ms } = sample;
    const serverMicros = (cpuMs["server"] ?? Number.NaN) * 1000;
    const pair = alone[round];
    const publishing = pair === undefined ? 0 : publishingMicros(pair) * events;
    return {
      serverMicros: serverMicros / deliveries,
      deliveryMicros: (serverMicros - publishing) / deliveries,
      p99Ms,
    };
  });
}

/** Microseconds of the server's processor time per event, if nobody followed. */
export function publishingMicros({ cpuMs, events }: FanoutSample): number {
  return ((cpuMs["server"] ?? Number.NaN) * 1000) / events;
}

/** What streams took that had nothing to do. */
export interface IdleSample {
  readonly bytesPerStream: number;
  readonly opensPerSecond: number;
}

export interface IdlePlan {
  readonly server: FanoutServer;
  readonly logs: readonly string[];
  readonly streams: number;
}

/** Opens streams on a new process; its garbage is collected before its memory is read. */
export async function sampleIdleMemory(
  parent: AsyncDisposableStack,
  { ask }: FollowerGenerator,
  { server, logs, streams }: IdlePlan,
): Promise<IdleSample> {
  await using resources = parent.use(new AsyncDisposableStack());
  const subject = await server.start(resources);
  const requests = logs.map(subject.followRequest);
  const { port } = subject;
  const set = "idle";
  await ask("open", { set, port, requests, count: WARM_UP_STREAMS });
  await ask("close", { set });
  const before = await readSettledBytes(subject);
  const startedAt = performance.now();
  await ask("open", { set, port, requests, count: streams });
  const openedAt = performance.now();
  const after = await readSettledBytes(subject);
  await ask("close", { set });
  return {
    bytesPerStream: (after - before) / streams,
    opensPerSecond: (streams * 1000) / (openedAt - startedAt),
  };
}

async function readSettledBytes(subject: FanoutSubject): Promise<number> {
  await waitUntilIdle(subject.pid);
  await sleep(SETTLE_MS);
  await subject.collectGarbage();
  await sleep(SETTLE_MS);
  return readResidentBytes(subject.pid);
}
