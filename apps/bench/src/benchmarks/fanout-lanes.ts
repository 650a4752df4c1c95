import type { FollowerGenerator } from "../fanout/follower-generator.ts";
import { type FanoutSample, type Followed, sampleFanout } from "../fanout/fanout-sample.ts";
import { type FanoutCase, type FanoutShape, planCase } from "../fanout/shapes.ts";
import type { FanoutServer } from "../fanout/subjects.ts";
import { interleave } from "../interleave.ts";
import type { BenchmarkOptions } from "../options.ts";

/** Most of the time of a quick run goes by here. */
const QUICK_ROUNDS = 3;

/** What a row of samples is taken of. */
export interface Lane {
  readonly shape: string;
  readonly ofCase: FanoutCase;
  readonly server: string;
  /** Whether anybody follows the logs; where nobody does, publishing alone is measured. */
  readonly isFollowed: boolean;
}

/** A lane with what was measured. */
export interface Measured extends Lane {
  readonly samples: readonly FanoutSample[];
}

interface RunningLane extends Lane {
  readonly logs: readonly string[];
  readonly followed: Followed;
}

/** Starts the servers, has their logs followed, and takes the samples of each case in turn. */
export async function measureShape(
  options: BenchmarkOptions,
  generator: FollowerGenerator,
  { shape, servers }: { readonly shape: FanoutShape; readonly servers: readonly FanoutServer[] },
): Promise<Measured[]> {
  // Stopped before the next shape is measured.
  await using resources = options.resources.use(new AsyncDisposableStack());
  const running: Omit<RunningLane, "ofCase">[] = [];
  for (const server of servers) {
    running.push(...(await startLanes(resources, generator, { shape, server })));
  }
  const measured: Measured[] = [];
  for (const ofCase of shape.cases) {
    const lanes = running.map((lane) => ({ ...lane, ofCase }));
    const rounds = options.quick ? QUICK_ROUNDS : options.rounds;
    const samples = await interleave(lanes, rounds, ({ followed, logs }) =>
      sampleFanout(generator, followed, planCase(logs, ofCase, options.seconds)),
    );
    measured.push(...lanes.map((lane, index) => ({ ...lane, samples: samples[index] ?? [] })));
  }
  return measured;
}

async function startLanes(
  resources: AsyncDisposableStack,
  { ask }: FollowerGenerator,
  { shape, server }: { readonly shape: FanoutShape; readonly server: FanoutServer },
): Promise<Omit<RunningLane, "ofCase">[]> {
  const { logs: count, followersPerLog } = shape;
  const subject = await server.start(resources);
  const logs = await subject.openLogs(count);
  const requests = logs.map(subject.followRequest);
  const set = server.name;
  await ask("open", { set, port: subject.port, requests, count: count * followersPerLog });
  resources.defer(() => ask("close", { set }));
  const lane = { shape: shape.name, server: server.name };
  const lanes = [{ ...lane, isFollowed: true, logs, followed: { subject, set, followersPerLog } }];
  if (!server.appends) return lanes;
  const alone = { subject, set: undefined, followersPerLog: 0 };
  const unfollowed = await subject.openLogs(count);
  return [...lanes, { ...lane, isFollowed: false, logs: unfollowed, followed: alone }];
}
