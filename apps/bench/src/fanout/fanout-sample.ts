import { waitUntilIdle } from "../idle.ts";
import { percentile } from "../statistics.ts";
import { readUsage, usageBetween } from "../usage.ts";
import type { FollowerGenerator } from "./follower-generator.ts";
import type { Arrivals } from "./followers.ts";
import { countEvents, type PublishPlan } from "./publish-plan.ts";
import type { FanoutSubject } from "./subjects.ts";

/** A server whose logs are published to, and who follows them. */
export interface Followed {
  readonly subject: FanoutSubject;
  /** Name of the followers' set; undefined where nobody follows. */
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
  /** Share of the machine that everything else used meanwhile: what makes a sample noisy. */
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
