import { ownFloor } from "../floor.ts";
import { seedEndedInvocations } from "../invoke/seed-invocations.ts";
import { type LoadGenerator, startLoadGenerator } from "../load/load-generator.ts";
import { formatPost, type Load } from "../load/plan.ts";
import { measureLanes, type Subject } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { ResultRow } from "../report.ts";
import { answerInvocations, type MeasuredInvocations, renderInvocations } from "./invoke-report.ts";

const connectionCounts = [1, 16] as const;
const endedCounts = [100, 1_000_000] as const;
/** A million take a minute to write. */
const quickEndedCounts = [100] as const;

/** What invokes: a server with this many ended invocations, or the floor. */
interface Invoker {
  readonly subject: Subject;
  readonly ended: number | undefined;
  readonly generator: LoadGenerator;
  readonly target: Pick<Load, "host" | "port" | "requests">;
}

/** Measures invocations that are waited for, beside a floor of bare transactions. */
export async function benchInvoke(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { resources, quick, print } = options;
  const generator = startLoadGenerator(resources);
  const invokers: Invoker[] = [];
  for (const ended of quick ? quickEndedCounts : endedCounts) {
    invokers.push(await startInvoker(options, { ended, generator }));
  }
  invokers.push(await startFloorInvoker(options));
  const measured: MeasuredInvocations[] = [];
  for (const connections of connectionCounts) {
    const lanes = invokers.map((invoker) => ({
      ...invoker,
      loadOf: () => ({
        ...invoker.target,
        mustBe: 201,
        mustContain: '"outcome":{"status":"succeeded"',
        connections,
      }),
    }));
    const samples = await measureLanes(options, lanes);
    for (const [index, { subject, ended }] of invokers.entries()) {
      measured.push({ name: subject.name, ended, connections, samples: samples[index] ?? [] });
    }
    print(`${connections} at once: measured\n`);
  }
  const results = answerInvocations(measured);
  print(renderInvocations(measured, results));
  return results;
}

/** Starts a server on a database in which this many invocations have ended. */
async function startInvoker(
  { postgres, resources, print }: BenchmarkOptions,
  { ended, generator }: { ended: number; generator: LoadGenerator },
): Promise<Invoker> {
  const database = await postgres.createDatabase(resources, `ended_${ended}`);
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
    target: {
      host: url.hostname,
      port: Number(url.port),
      requests: [formatPost(url, headers, { input: { a: 1, b: 2 } })],
    },
  };
}

/** Starts the floor, which needs nobody to ask it. */
async function startFloorInvoker({ postgres, resources }: BenchmarkOptions): Promise<Invoker> {
  const database = await postgres.createDatabase(resources, "floor");
  const generator = startLoadGenerator(resources, {
    file: ownFloor("invoke-floor"),
    environment: { DATABASE_URL: database.url },
  });
  return {
    subject: { name: "floor", pid: generator.pid, backends: database.backends },
    ended: undefined,
    generator,
    target: { host: "", port: 0, requests: [] },
  };
}
