import { floor, nchan, postedFloor, REFERENCE } from "../fanout/subjects.ts";
import { answerRatio, type ResultRow } from "../report.ts";
import { targets } from "../targets.ts";
import { costLane, type DeliveryCost } from "./fanout-costs.ts";
import type { IdleMeasured } from "./fanout-idle.ts";
import type { Measured } from "./fanout-lanes.ts";

interface Figure {
  readonly name: string;
  readonly target: "deliveryMicros" | "p99Ms";
  readonly read: (cost: DeliveryCost) => number;
}

const perDelivery: Figure = {
  name: "delivery µs",
  target: "deliveryMicros",
  read: (cost) => cost.deliveryMicros,
};
const p99: Figure = { name: "p99", target: "p99Ms", read: (cost) => cost.p99Ms };

interface Pair {
  readonly of: string;
  readonly over: string;
  readonly figures: readonly Figure[];
}

const pairs: readonly Pair[] = [
  { of: "parley", over: floor.name, figures: [perDelivery, p99] },
  // Its latency begins before a request, and so is another one.
  { of: "parley", over: nchan.name, figures: [perDelivery] },
  { of: postedFloor.name, over: REFERENCE, figures: [perDelivery, p99] },
];

/** The ratios of a run: those with a target, and others. */
export function answerFanoutRatios(
  measured: readonly Measured[],
  idle: readonly IdleMeasured[],
): ResultRow[] {
  return pairs.flatMap((pair) => [...answerCosts(measured, pair), ...answerIdle(idle, pair)]);
}

function answerCosts(measured: readonly Measured[], { of, over, figures }: Pair): ResultRow[] {
  const find = (name: string) =>
    measured.filter(({ isFollowed, server }) => isFollowed && server === name);
  return find(of).flatMap((lane) =>
    find(over)
      .filter(({ shape, ofCase }) => shape === lane.shape && ofCase === lane.ofCase)
      .flatMap((other) =>
        figures.map(({ name, target, read }) => {
          const { shape, ofCase } = lane;
          return answerRatio({
            name: `${shape}, ${ofCase.name}: ${name}, ${of} over ${over}`,
            of: costLane(lane, measured),
            over: costLane(other, measured),
            read,
            target: over === floor.name ? ofCase.targets?.[target] : undefined,
          });
        }),
      ),
  );
}

function answerIdle(idle: readonly IdleMeasured[], { of, over }: Pair): ResultRow[] {
  const find = (server: string) => idle.filter((one) => one.server === server);
  return find(of).flatMap(({ shape, samples }) =>
    find(over)
      .filter((other) => other.shape === shape)
      .map((other) =>
        answerRatio({
          name: `${shape}: bytes per idle stream, ${of} over ${over}`,
          of: samples,
          over: other.samples,
          read: ({ bytesPerStream }) => bytesPerStream,
          target: over === floor.name ? targets.bytesOfStream : undefined,
        }),
      ),
  );
}
