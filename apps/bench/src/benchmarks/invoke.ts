import { ownFloor } from "../floor.ts";
import { giveCode } from "../invoke/give-code.ts";
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
/** What compiles the code of an invocation: one connection alone would take the first minute for it. */
const warmUp = { connections: 16, warmUpMs: 0, windowMs: 4_000 } as const;
/** A million take a minute to write. */
const quickEndedCounts = [100] as const;

/** How every invocation that is waited for must be answered. */
export const succeeded = { mustBe: 201, mustContain: '"outcome":{"status":"succeeded"' } as const;

/** What invokes: a server with this many ended invocations, or the floor. */
interface Invoker {
  readonly subject: Subject;
  readonly hasCode: boolean;
  readonly ended: number | undefined;
  readonly generator: LoadGenerator;
  readonly target: Pick<Load, "host" | "port" | "requests">;
  /** The same request, to be sent once. */
  readonly first?: {
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/** Measures invocations that are waited for, beside a floor of bare transactions. */
export async function benchInvoke(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { resources, quick, print } = options;
  const generator = startLoadGenerator(resources);
  const invokers: Invoker[] = [];
  for (const ended of quick ? quickEndedCounts : endedCounts) {
    invokers.push(await startInvoker(options, { ended, generator, hasCode: false }));
  }
  const withCode = await startInvoker(options, { ended: endedCounts[0], generator, hasCode: true });
  const coldMs = await measureCold(withCode);
  invokers.push(withCode);
  invokers.push(await startFloorInvoker(options));
  for (const { target, generator: load } of invokers) {
    await load.run({ ...target, ...succeeded, ...warmUp }, () => {});
  }
  print("warmed up\n");
  const measured: MeasuredInvocations[] = [];
  for (const connections of connectionCounts) {
    const lanes = invokers.map((invoker) => ({
      ...invoker,
      loadOf: () => ({
        ...invoker.target,
        ...succeeded,
        connections,
      }),
    }));
    const samples = await measureLanes(options, lanes);
    for (const [index, { subject, ended, hasCode }] of invokers.entries()) {
      const { name } = subject;
      measured.push({ name, ended, hasCode, connections, samples: samples[index] ?? [] });
    }
    print(`${connections} at once: measured\n`);
  }
  const results = answerInvocations(measured, coldMs);
  print(renderInvocations(measured, results));
  return results;
}

/** Starts a server on a database in which this many invocations have ended. */
export async function startInvoker(
  { postgres, resources, print }: BenchmarkOptions,
  { ended, generator, hasCode }: { ended: number; generator: LoadGenerator; hasCode: boolean },
): Promise<Invoker> {
  const database = await postgres.createDatabase(
    resources,
    `ended_${ended}${hasCode ? "_code" : ""}`,
  );
  const { pid, demo } = await startParley(resources, database.url);
  const startedAt = performance.now();
  await seedEndedInvocations(database.url, ended);
  if (hasCode) await giveCode(database.url);
  print(`${ended} ended invocations: ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  const url = new URL(`/api/w/${demo.workspaceId}/sandbox-functions/add/invocations`, demo.url);
  const headers = { Authorization: `Bearer ${demo.adminKey}` };
  return {
    subject: { name: hasCode ? "parley, code" : "parley", pid, backends: database.backends },
    hasCode,
    ended,
    generator,
    target: {
      host: url.hostname,
      port: Number(url.port),
      requests: [formatPost(url, headers, { input: { a: 1, b: 2 } })],
    },
    first: { url, headers, body: JSON.stringify({ input: { a: 1, b: 2 } }) },
  };
}

/** How long the first invocation takes, which has to start what runs code, in milliseconds. */
export async function measureCold({ first }: Invoker): Promise<number> {
  if (first === undefined) throw new Error("The floor has no first invocation");
  const { url, headers, body } = first;
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body,
  });
  const text = await response.text();
  if (response.status !== 201 || !text.includes('"sum":3')) {
    throw new Error(`The first invocation answered ${response.status}: ${text}`);
  }
  return performance.now() - startedAt;
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
    hasCode: false,
    ended: undefined,
    generator,
    target: { host: "", port: 0, requests: [] },
  };
}
