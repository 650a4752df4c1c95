import type { FollowerGenerator } from "../fanout/follower-generator.ts";
import { type IdlePlan, type IdleSample, sampleIdleMemory } from "../fanout/idle-memory.ts";
import { type IdleShape, idleShapes, quickIdleShapes } from "../fanout/shapes.ts";
import type { FanoutServer } from "../fanout/subjects.ts";
import { interleave } from "../interleave.ts";
import type { BenchmarkOptions } from "../options.ts";

/** Of the memory: it differs little between rounds, and each starts all servers anew. */
const QUICK_ROUNDS = 1;

/** What a server's idle streams took. */
export interface IdleMeasured {
  readonly shape: string;
  readonly server: string;
  readonly samples: readonly IdleSample[];
}

/** Measures the memory of idle streams, on new processes each time. */
export async function measureIdle(
  { quick, rounds, resources, print }: BenchmarkOptions,
  generator: FollowerGenerator,
  servers: readonly FanoutServer[],
): Promise<IdleMeasured[]> {
  const measured: IdleMeasured[] = [];
  for (const shape of quick ? quickIdleShapes : idleShapes) {
    const plans: IdlePlan[] = [];
    for (const server of servers) plans.push(await planIdle(resources, server, shape));
    const samples = await interleave(plans, quick ? QUICK_ROUNDS : rounds, (plan) =>
      sampleIdleMemory(resources, generator, plan),
    );
    measured.push(
      ...plans.map(({ server }, index) => ({
        shape: shape.name,
        server: server.name,
        samples: samples[index] ?? [],
      })),
    );
    print(`${shape.name}, idle: measured\n`);
  }
  return measured;
}

/** Makes the logs in a process of their own, so that what that leaves behind is not measured. */
async function planIdle(
  parent: AsyncDisposableStack,
  server: FanoutServer,
  { logs, followersPerLog }: IdleShape,
): Promise<IdlePlan> {
  await using resources = parent.use(new AsyncDisposableStack());
  const subject = await server.start(resources);
  return { server, logs: await subject.openLogs(logs), streams: logs * followersPerLog };
}
