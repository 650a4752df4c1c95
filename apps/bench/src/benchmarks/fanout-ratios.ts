import { postedFloor, REFERENCE } from "../fanout/subjects.ts";
import { answerRatio } from "../report.ts";
import type { Row } from "../table.ts";
import { costLane, type DeliveryCost } from "./fanout-costs.ts";
import type { IdleMeasured } from "./fanout-idle.ts";
import type { Measured } from "./fanout-lanes.ts";

/** Which servers are compared. */
const pairs = [
  { of: "parley", over: "floor" },
  { of: "parley", over: "nchan" },
  { of: postedFloor.name, over: REFERENCE },
];

/** How many times the floor's an idle stream may take. */
const IDLE_AT_MOST = 1.6;

const figures = [
  {
    figure: "delivery µs",
    target: "deliveryMicros",
    read: (cost: DeliveryCost) => cost.deliveryMicros,
  },
  { figure: "p99", target: "p99Ms", read: (cost: DeliveryCost) => cost.p99Ms },
] as const;

/** The ratios of a run: those that it is held to, and others that are only told. */
export function answerFanoutRatios(
  measured: readonly Measured[],
  idle: readonly IdleMeasured[],
): Row[] {
  return pairs.flatMap((pair) => [...answerCosts(measured, pair), ...answerIdle(idle, pair)]);
}

type Pair = (typeof pairs)[number];

function answerCosts(measured: readonly Measured[], { of, over }: Pair): Row[] {
  const find = (name: string) =>
    measured.filter(({ isFollowed, server }) => isFollowed && server === name);
  return find(of).flatMap((lane) =>
    find(over)
      .filter(({ shape, ofCase }) => shape === lane.shape && ofCase === lane.ofCase)
      .flatMap((other) => compare(lane, other, measured)),
  );
}

function compare(lane: Measured, other: Measured, measured: readonly Measured[]): Row[] {
  const { shape, ofCase, server } = lane;
  return figures.map(({ figure, target, read }) => {
    const atMost = other.server === "floor" ? ofCase.targets?.[target] : undefined;
    return answerRatio({
      name: `${shape}, ${ofCase.name}: ${figure}, ${server} over ${other.server}`,
      of: costLane(lane, measured),
      over: costLane(other, measured),
      read,
      ...(atMost !== undefined && { atMost }),
    });
  });
}

function answerIdle(idle: readonly IdleMeasured[], { of, over }: Pair): Row[] {
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
          ...(over === "floor" && { atMost: IDLE_AT_MOST }),
        }),
      ),
  );
}
