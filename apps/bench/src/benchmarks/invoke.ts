import { ownFloor } from "../floor.ts";
import { type LoadGenerator, startLoadGenerator } from "../load/load-generator.ts";
import type { Load } from "../load/plan.ts";
import {
  type Measured,
  measureLoads,
  processorMicros,
  type Sample,
  samplesOf,
  type Subject,
  tabulate,
} from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { type MeasuredServer, startParley } from "../parley-server.ts";
import { type Findings, type Question, ratio, type Target } from "../report.ts";
import { openClient } from "../scratch-database.ts";
import { giveCode, seedEndedInvocations } from "../seed/seed-invocations.ts";

const connectionCounts = [1, 16] as const;
const FEW_ENDED = 100;
/** They take a minute to write. */
const MANY_ENDED = 1_000_000;
/** What compiles the code of an invocation: one connection alone would take the first minute for it. */
const warmUp = { connections: 16, warmUpMs: 0, windowMs: 4_000 } as const;

const path = "/api/w/{wId}/sandbox-functions/add/invocations";
const body = { input: { a: 1, b: 2 } };
const describeEnded = (ended: number) => ended.toLocaleString("en");

/** What invokes: a server with this many ended invocations, or the floor. */
interface Invoker {
  readonly subject: Subject;
  /** Invocations that had ended before; empty for the floor. */
  readonly ended: string;
  readonly generator: LoadGenerator;
  readonly load: Omit<Load, "connections">;
}

/** Measures invocations that are waited for, beside a floor of bare transactions. */
export async function benchInvoke(options: BenchmarkOptions): Promise<Findings> {
  const { resources, quick, print } = options;
  const generator = startLoadGenerator(resources);
  const invokers: Invoker[] = [];
  for (const ended of quick ? [FEW_ENDED] : [FEW_ENDED, MANY_ENDED]) {
    invokers.push(await startInvoker(options, { ended, generator, hasCode: false }));
  }
  const withCode = await startInvoker(options, { ended: FEW_ENDED, generator, hasCode: true });
  const coldMs = await measureCold(withCode);
  invokers.push(withCode, await startFloorInvoker(options));
  for (const { load, generator: own } of invokers) await own.run({ ...load, ...warmUp });
  print("warmed up\n");
  const measured: Measured<Sample>[] = [];
  for (const connections of connectionCounts) {
    const lanes = invokers.map(({ subject, ended, generator: own, load }) => ({
      labels: { connections, process: subject.name, "ended before": ended },
      subject,
      generator: own,
      load: { ...load, connections },
    }));
    measured.push(...(await measureLoads(options, `${connections} at once`, lanes)));
  }
  const tables = [tabulate(measured, "invocations")];
  return { tables, questions: askInvocations(measured, coldMs) };
}

/** Starts a server on a database in which this many invocations have ended. */
export async function startInvoker(
  { postgres, resources, print }: BenchmarkOptions,
  { ended, generator, hasCode }: { ended: number; generator: LoadGenerator; hasCode: boolean },
): Promise<Invoker & { readonly server: MeasuredServer }> {
  const purpose = `ended_${ended}${hasCode ? "_code" : ""}`;
  const database = await postgres.createDatabase(resources, purpose);
  const name = hasCode ? "parley, code" : "parley";
  const server = await startParley(resources, database, { name });
  const client = await openClient(resources, database.url);
  const startedAt = performance.now();
  await seedEndedInvocations(client, ended);
  if (hasCode) await giveCode(client);
  print(`${ended} ended invocations: ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  return {
    server,
    subject: server.subject,
    ended: describeEnded(ended),
    generator,
    load: {
      ...server.address,
      requests: [server.post(path, body)],
      mustBe: 201,
      mustContain: '"outcome":{"status":"succeeded"',
    },
  };
}

/** How long the first invocation takes, which has to start what runs code, in milliseconds. */
export async function measureCold({
  server: { urlOf, headers },
}: {
  readonly server: MeasuredServer;
}): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(urlOf(path), {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
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
    ended: "",
    generator,
    load: { host: "", port: 0, requests: [], mustContain: "" },
  };
}

function askInvocations(measured: readonly Measured<Sample>[], coldMs: number): Question[] {
  const few = describeEnded(FEW_ENDED);
  const find = (connections: 1 | 16, process: string, ended: string) =>
    samplesOf(measured, { connections, process, "ended before": ended });
  const simulated = { 1: find(1, "parley", few), 16: find(16, "parley", few) } as const;
  const perSecond = (target: Target) => ({ read: (one: Sample) => one.perSecond, target });
  const manyOverFew = { of: find(16, "parley", describeEnded(MANY_ENDED)), over: simulated[16] };
  const afterMany = { target: { atMost: 1.2 } };
  return [
    ratio(
      "invocations/s of code over simulated ones, 16 connections",
      { of: find(16, "parley, code", few), over: simulated[16] },
      perSecond({ atLeast: 0.5 }),
    ),
    ratio(
      "invocations/s over the floor's, 16 connections",
      { of: simulated[16], over: find(16, "floor", "") },
      perSecond({ atLeast: 0.6 }),
    ),
    ratio(
      "invocations/s over the floor's, 1 connection",
      { of: simulated[1], over: find(1, "floor", "") },
      perSecond({ atLeast: 0.5 }),
    ),
    ratio(
      "1,000,000 ended over 100: processor time of an invocation, 16 connections",
      manyOverFew,
      { ...afterMany, read: processorMicros },
    ),
    ratio("1,000,000 ended over 100: p50, 16 connections", manyOverFew, {
      ...afterMany,
      read: ({ p50Ms }) => p50Ms,
    }),
    {
      name: "p50 of code beyond that of simulated ones, 1 connection: ms",
      of: find(1, "parley, code", few).map(
        ({ p50Ms }, round) => p50Ms - (simulated[1][round]?.p50Ms ?? Number.NaN),
      ),
      target: { atMost: 5 },
    },
    { name: "first invocation of code, before any process of it: ms", of: [coldMs] },
  ];
}
