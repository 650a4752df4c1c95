import type { FanoutSample } from "../fanout/fanout-sample.ts";
import type { Measured } from "./fanout-lanes.ts";

/** What one delivery cost in a sample. */
export interface DeliveryCost {
  /** Microseconds of the server's processor time. */
  readonly serverMicros: number;
  /** The same without what it takes to publish as much when nobody follows. */
  readonly deliveryMicros: number;
  readonly p99Ms: number;
}

/** The cost of a delivery in each of the lane's samples. */
export function costLane(lane: Measured, measured: readonly Measured[]): DeliveryCost[] {
  const { shape, ofCase, server, samples } = lane;
  const alone = measured.find(
    (one) =>
      !one.isFollowed && one.shape === shape && one.ofCase === ofCase && one.server === server,
  );
  return costDeliveries(samples, alone?.samples ?? []);
}

/**
 * The cost of a delivery in each sample; `alone` are the samples, taken in the same rounds, where
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

/** Microseconds of the server's processor time per event, where nobody followed. */
export function publishingMicros({ cpuMs, events }: FanoutSample): number {
  return ((cpuMs["server"] ?? Number.NaN) * 1000) / events;
}
