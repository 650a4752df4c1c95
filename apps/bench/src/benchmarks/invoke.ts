import { ownFloor } from "../floor.ts";
import { interleave } from "../interleave.ts";
import { seedEndedInvocations } from "../invoke/seed-invocations.ts";
import { type LoadGenerator, startLoadGenerator } from "../load/load-generator.ts";
import { formatPost, type LoadPlan } from "../load/plan.ts";
import { measure, type Subject } from "../measure.ts";
import { type BenchmarkOptions, WARM_UP_MS } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { Postgres } from "../scratch-database.ts";
import { type MeasuredInvocations, renderInvocations } from "./invoke-report.ts";

const connectionCounts = [1, 16] as const;
const endedCounts = [100, 1_000_000] as const;

/** What invokes: a server with this many ended invocations, or the floor. */
interface Invoker {
  readonly subject: Subject;
  readonly ended: number | undefined;
  readonly generator: LoadGenerator;
  readonly plan: Pick<LoadPlan, "host" | "port" | "request">;
}

/** Measures invocations that are waited for, beside a floor of bare transactions. */
export async function benchInvoke(options: BenchmarkOptions): Promise<void> {
  const { postgres, resources, rounds, seconds, print } = options;
  if (postgres === undefined) throw new Error("DATABASE_URL is not set: invoke needs PostgreSQL");
  const generator = startLoadGenerator(resources);
  const invokers: Invoker[] = [];
  for (const ended of endedCounts) {
    invokers.push(await startInvoker(options, { postgres, ended, generator }));
  }
  invokers.push(await startFloorInvoker(resources, postgres));
  const measured: MeasuredInvocations[] = [];
  for (const connections of connectionCounts) {
    const samples = await interleave(invokers, rounds, (invoker) =>
      measure(invoker.subject, invoker.generator, {
        ...invoker.plan,
        mustBe: 201,
        mustContain: '"outcome":{"status":"succeeded"',
        connections,
        warmUpMs: WARM_UP_MS,
        windowMs: seconds * 1000,
      }),
    );
    for (const [index, { subject, ended }] of invokers.entries()) {
      measured.push({ name: subject.name, ended, connections, samples: samples[index] ?? [] });
    }
  }
  print(renderInvocations(measured));
}

/** Starts a server on a database in which this many invocations have ended. */
async function startInvoker(
  { resources, print }: BenchmarkOptions,
  { postgres, ended, generator }: { postgres: Postgres; ended: number; generator: LoadGenerator },
): Promise<Invoker> {
  const database = await postgres.createDatabase(`ended_${ended}`);
  const { pid, demo } = await startParley(resources, database.url);
  const startedAt = performance.now();
  await seedEndedInvocations(database.url, ended);
  print(`${ended} ended invocations: ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  const url = new URL(`/api/w/${demo.workspaceId}/sandbox-functions/add/invocations`, demo.url);
  const headers = { Authorization: `Bearer ${demo.adminKey}` };
  return {
    subject: { name: "parley", pid, backends: database.backends },
    ended,
    generator,
    plan: {
      host: url.hostname,
      port: Number(url.port),
      request: formatPost(url, headers, { input: { a: 1, b: 2 } }),
    },
  };
}

/** Starts the floor, which needs nobody to ask it. */
async function startFloorInvoker(
  resources: AsyncDisposableStack,
  postgres: Postgres,
): Promise<Invoker> {
  const database = await postgres.createDatabase("floor");
  const generator = startLoadGenerator(resources, {
    file: ownFloor("invoke-floor"),
    environment: { DATABASE_URL: database.url },
  });
  return {
    subject: { name: "floor", pid: generator.pid, backends: database.backends },
    ended: undefined,
    generator,
    plan: { host: "", port: 0, request: "" },
  };
}
