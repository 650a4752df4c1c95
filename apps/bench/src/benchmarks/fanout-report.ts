import type { FanoutSample } from "../fanout/fanout-sample.ts";
import { median } from "../statistics.ts";
import type { ResultRow } from "../report.ts";
import { renderTable, type Row } from "../table.ts";
import { costLane, publishingMicros } from "./fanout-costs.ts";
import type { IdleMeasured } from "./fanout-idle.ts";
import type { Measured } from "./fanout-lanes.ts";

/** The tables of a run: deliveries, events that nobody followed, idle streams, and the ratios. */
export function renderFanout(
  measured: readonly Measured[],
  idle: readonly IdleMeasured[],
  results: readonly ResultRow[],
): string {
  const tables = [
    measured
      .filter(({ isFollowed }) => isFollowed)
      .map((lane) => describeDeliveries(lane, measured)),
    measured.filter(({ isFollowed }) => !isFollowed).map(describePublishing),
    idle.map(describeIdle),
    results,
  ];
  return tables.map((rows) => `\n${renderTable(rows)}`).join("");
}

function describeDeliveries(lane: Measured, measured: readonly Measured[]): Row {
  const { shape, ofCase, server, samples } = lane;
  const costs = costLane(lane, measured);
  const cpuMicros = (role: string) =>
    middle(samples, ({ cpuMs, deliveries }) => ((cpuMs[role] ?? Number.NaN) * 1000) / deliveries);
  return {
    "logs × each": shape,
    published: ofCase.name,
    process: server,
    "deliveries/s": middle(samples, (sample) => sample.perSecond),
    "server µs": middle(costs, (cost) => cost.serverMicros),
    "delivery µs": middle(costs, (cost) => cost.deliveryMicros),
    "p50 ms": middle(samples, (sample) => sample.p50Ms),
    "p99 ms": middle(samples, (sample) => sample.p99Ms),
    "load µs": cpuMicros("load"),
    "others, cores": middle(samples, (sample) => sample.othersShare),
  };
}

function describePublishing({ shape, ofCase, server, samples }: Measured): Row {
  const databaseMicros = ({ cpuMs, events }: FanoutSample) =>
    ((cpuMs["database"] ?? Number.NaN) * 1000) / events;
  return {
    logs: shape.split(" ")[0],
    "published, nobody follows": ofCase.name,
    process: server,
    "server µs per event": middle(samples, publishingMicros),
    "database µs per event": middle(samples, databaseMicros),
  };
}

function describeIdle({ shape, server, samples }: IdleMeasured): Row {
  return {
    "logs × each": shape,
    process: server,
    "KiB per idle stream": middle(samples, (sample) => sample.bytesPerStream / 1024),
    "opened/s": middle(samples, (sample) => sample.opensPerSecond),
  };
}

function middle<S>(samples: readonly S[], read: (sample: S) => number | undefined): number {
  return median(samples.map((sample) => read(sample) ?? Number.NaN));
}
