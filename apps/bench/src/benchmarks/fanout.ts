import { nchan, nchanIsMissing } from "../fanout/nchan.ts";
import { parleyServer } from "../fanout/parley-subject.ts";
import {
  costDeliveries,
  type DeliveryCost,
  type FanoutSample,
  type FollowerGenerator,
  type IdleSample,
  publishingMicros,
  sampleFanout,
  sampleIdleMemory,
  startFollowerGenerator,
} from "../fanout/samples.ts";
import {
  type FanoutCase,
  type FanoutShape,
  type IdleShape,
  idleShapes,
  planCase,
  postedShape,
  quickIdleShapes,
  quickShapes,
  shapes,
} from "../fanout/shapes.ts";
import {
  type FanoutServer,
  floor,
  postedFloor,
  REFERENCE,
  referenceFloor,
} from "../fanout/subjects.ts";
import { type Lane, type Measured, middle, sampleInTurn, samplesOf } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { type Findings, type Question, ratio } from "../report.ts";
import type { Row } from "../table.ts";

/** Most of the time of a quick run goes by with deliveries. */
const QUICK_ROUNDS = 3;
/** Of the memory: it differs little between rounds, and each starts all servers again. */
const QUICK_IDLE_ROUNDS = 1;

/** What was measured of a server in a case of a shape. */
interface Published {
  readonly shape: FanoutShape;
  readonly ofCase: FanoutCase;
  readonly process: string;
  readonly followed: readonly FanoutSample[];
  /** Taken in the same rounds while nobody followed; none of a server that stores nothing. */
  readonly alone: readonly FanoutSample[];
}

interface Figure {
  readonly name: string;
  readonly target: "deliveryMicros" | "p99Ms";
}

const perDelivery: Figure = { name: "delivery µs", target: "deliveryMicros" };
const p99: Figure = { name: "p99", target: "p99Ms" };

/** The servers that are compared, and by what. */
const pairs: readonly { of: string; over: string; figures: readonly Figure[] }[] = [
  { of: "parley", over: floor.name, figures: [perDelivery, p99] },
  // Its latency begins before a request, and so is another one.
  { of: "parley", over: nchan.name, figures: [perDelivery] },
  { of: postedFloor.name, over: REFERENCE, figures: [perDelivery, p99] },
];

/** Measures what followers cost, beside the floor and, if they are there, beside others. */
export async function benchFanout(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, quick, reference, resources, print } = options;
  const generator = await startFollowerGenerator(resources);
  if (!generator.isPinned)
    print("The processes share the cores: there is no second, or no taskset\n");
  const parley = await parleyServer(resources, await postgres.createDatabase(resources, "fanout"));
  const servers = [parley, floor];
  const missing = quick ? "it has no target" : await nchanIsMissing();
  if (missing === undefined) servers.push(nchan);
  else print(`nginx with nchan: skipped, for ${missing}\n`);
  const published: Published[] = [];
  for (const shape of quick ? quickShapes : shapes) {
    published.push(...(await measureShape(options, generator, { shape, servers })));
    print(`${shape.name}: measured\n`);
  }
  if (reference !== undefined) {
    const floors = { shape: postedShape, servers: [postedFloor, referenceFloor(reference)] };
    published.push(...(await measureShape(options, generator, floors)));
  }
  const idle = await measureIdle(options, generator, servers);
  return {
    tables: [
      published.map(describeDeliveries),
      published.filter(({ alone }) => alone.length > 0).map(describePublishing),
      idle.map(describeIdle),
    ],
    questions: pairs.flatMap(({ of, over, figures }) => [
      ...published
        .filter(({ process }) => process === of)
        .flatMap((one) => figures.map((figure) => askCost(published, { one, over, figure }))),
      ...askIdle(idle, of, over),
    ]),
  };
}

/** Starts the servers, has their logs followed, and takes the samples of each case in turn. */
async function measureShape(
  options: BenchmarkOptions,
  generator: FollowerGenerator,
  { shape, servers }: { readonly shape: FanoutShape; readonly servers: readonly FanoutServer[] },
): Promise<Published[]> {
  // Stopped before the next shape is measured.
  await using resources = options.resources.use(new AsyncDisposableStack());
  const running: ((ofCase: FanoutCase) => Lane<FanoutSample>)[] = [];
  for (const { name: process, appends, start } of servers) {
    const { logs: count, followersPerLog } = shape;
    const subject = await start(resources);
    const logs = await subject.openLogs(count);
    const requests = logs.map(subject.followRequest);
    const set = process;
    const { port } = subject;
    await generator.ask("open", { set, port, requests, count: count * followersPerLog });
    resources.defer(() => generator.ask("close", { set }));
    const followed = { subject, set, followersPerLog };
    running.push((ofCase) => ({
      labels: { process, isFollowed: "yes" },
      take: () => sampleFanout(generator, followed, planCase(logs, ofCase, options.seconds)),
    }));
    if (!appends) continue;
    const others = await subject.openLogs(count);
    const alone = { subject, set: undefined, followersPerLog: 0 };
    running.push((ofCase) => ({
      labels: { process, isFollowed: "no" },
      take: () => sampleFanout(generator, alone, planCase(others, ofCase, options.seconds)),
    }));
  }
  const published: Published[] = [];
  for (const ofCase of shape.cases) {
    const lanes = running.map((laneOf) => laneOf(ofCase));
    const measured = await sampleInTurn(lanes, options.quick ? QUICK_ROUNDS : options.rounds);
    for (const { name: process } of servers) {
      const followed = samplesOf(measured, { process, isFollowed: "yes" });
      const alone = samplesOf(measured, { process, isFollowed: "no" });
      published.push({ shape, ofCase, process, followed, alone });
    }
  }
  return published;
}

/** Measures the memory of idle streams, on new processes each time. */
async function measureIdle(
  { quick, rounds, resources, print }: BenchmarkOptions,
  generator: FollowerGenerator,
  servers: readonly FanoutServer[],
): Promise<Measured<IdleSample>[]> {
  const measured: Measured<IdleSample>[] = [];
  for (const shape of quick ? quickIdleShapes : idleShapes) {
    const lanes: Lane<IdleSample>[] = [];
    for (const server of servers) {
      const logs = await makeLogs(resources, server, shape);
      const plan = { server, logs, streams: shape.logs * shape.followersPerLog };
      lanes.push({
        labels: { "logs × each": shape.name, process: server.name },
        take: () => sampleIdleMemory(resources, generator, plan),
      });
    }
    measured.push(...(await sampleInTurn(lanes, quick ? QUICK_IDLE_ROUNDS : rounds)));
    print(`${shape.name}, idle: measured\n`);
  }
  return measured;
}

/** Makes the logs in a process of their own, so that what that leaves behind is not measured. */
async function makeLogs(
  parent: AsyncDisposableStack,
  server: FanoutServer,
  { logs }: IdleShape,
): Promise<string[]> {
  await using resources = parent.use(new AsyncDisposableStack());
  const subject = await server.start(resources);
  return await subject.openLogs(logs);
}

const costsOf = ({ followed, alone }: Published): DeliveryCost[] => costDeliveries(followed, alone);

function askCost(
  published: readonly Published[],
  { one, over, figure }: { one: Published; over: string; figure: Figure },
): Question {
  const { shape, ofCase, process } = one;
  const { name, target } = figure;
  const other = published.find(
    (each) =>
      each.process === over && each.shape.name === shape.name && each.ofCase.name === ofCase.name,
  );
  return ratio(
    `${shape.name}, ${ofCase.name}: ${name}, ${process} over ${over}`,
    { of: costsOf(one), over: other === undefined ? [] : costsOf(other) },
    {
      read: (cost) => cost[target],
      target: over === floor.name ? ofCase.targets?.[target] : undefined,
    },
  );
}

function askIdle(idle: readonly Measured<IdleSample>[], of: string, over: string): Question[] {
  return idle
    .filter(({ labels: { process } }) => process === of)
    .map(({ labels, samples }) =>
      ratio(
        `${labels["logs × each"]}: bytes per idle stream, ${of} over ${over}`,
        { of: samples, over: samplesOf(idle, { ...labels, process: over }) },
        {
          read: ({ bytesPerStream }) => bytesPerStream,
          target: over === floor.name ? { atMost: 1.4 } : undefined,
        },
      ),
    );
}

function describeDeliveries(published: Published): Row {
  const { shape, ofCase, process, followed } = published;
  const costs = costsOf(published);
  return {
    "logs × each": shape.name,
    published: ofCase.name,
    process,
    "deliveries/s": middle(followed, (sample) => sample.perSecond),
    "server µs": middle(costs, (cost) => cost.serverMicros),
    "delivery µs": middle(costs, (cost) => cost.deliveryMicros),
    "p50 ms": middle(followed, (sample) => sample.p50Ms),
    "p99 ms": middle(followed, (sample) => sample.p99Ms),
    "load µs": middle(
      followed,
      ({ cpuMs, deliveries }) => ((cpuMs["load"] ?? Number.NaN) * 1000) / deliveries,
    ),
    "others, cores": middle(followed, (sample) => sample.othersShare),
  };
}

function describePublishing({ shape, ofCase, process, alone }: Published): Row {
  return {
    logs: shape.name.split(" ")[0],
    "published, nobody follows": ofCase.name,
    process,
    "server µs per event": middle(alone, publishingMicros),
    "database µs per event": middle(
      alone,
      ({ cpuMs, events }) => ((cpuMs["database"] ?? Number.NaN) * 1000) / events,
    ),
  };
}

function describeIdle({ labels, samples }: Measured<IdleSample>): Row {
  return {
    ...labels,
    "KiB per idle stream": middle(samples, (sample) => sample.bytesPerStream / 1024),
    "opened/s": middle(samples, (sample) => sample.opensPerSecond),
  };
}
