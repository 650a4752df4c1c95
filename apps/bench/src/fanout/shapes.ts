import type { Target } from "../report.ts";
import type { PublishPlan } from "./publish-plan.ts";

/** What is published to a shape. */
export interface FanoutCase {
  readonly name: string;
  readonly reach: PublishPlan["reach"];
  readonly eventsPerLog: number;
  readonly gapMs: number;
  /** Rounds under way at once; 1 by default. */
  readonly atOnce?: number;
  /** How many times the floor's each may be. */
  readonly targets?: { readonly deliveryMicros?: Target; readonly p99Ms?: Target };
}

/** So many logs, each with so many followers. */
export interface IdleShape {
  readonly name: string;
  readonly logs: number;
  readonly followersPerLog: number;
}

/** The same, and what is published to them in turn. */
export interface FanoutShape extends IdleShape {
  readonly cases: readonly FanoutCase[];
}

// The gaps leave the floor at rest for about half of the time: what waits for a busy server would
// say more about the gap than about the server.
const oneEvent = { name: "1 event", reach: "every log", eventsPerLog: 1 } as const;
const together = {
  reach: "every log",
  targets: { deliveryMicros: { atMost: 1 }, p99Ms: { atMost: 1 } },
} as const;

const oneLog: FanoutShape = {
  name: "1 × 2,000",
  logs: 1,
  followersPerLog: 2000,
  cases: [
    { ...oneEvent, gapMs: 40, targets: { deliveryMicros: { atMost: 1.1 } } },
    { ...together, name: "5 events together", eventsPerLog: 5, gapMs: 150 },
    { ...together, name: "20 events together", eventsPerLog: 20, gapMs: 500 },
  ],
};

const someLogs: FanoutShape = {
  name: "200 × 10",
  logs: 200,
  followersPerLog: 10,
  cases: [
    { ...oneEvent, gapMs: 80, targets: { deliveryMicros: { atMost: 1.1 } } },
    {
      name: "500 events/s in total",
      reach: "next log",
      eventsPerLog: 1,
      gapMs: 2,
      atOnce: 8,
      targets: { p99Ms: { atMost: 2 } },
    },
  ],
};

const manyLogs: FanoutShape = {
  name: "2,000 × 1",
  logs: 2000,
  followersPerLog: 1,
  cases: [{ ...oneEvent, gapMs: 250, targets: { deliveryMicros: { atMost: 1.2 } } }],
};

export const shapes: readonly FanoutShape[] = [oneLog, someLogs, manyLogs];

/** The same with one event alone, which every shape begins with. */
export const quickShapes = shapes.map((shape) => ({ ...shape, cases: shape.cases.slice(0, 1) }));

/** What floors are compared with each other by: the least, for they may have a single channel. */
export const postedShape: FanoutShape = { ...oneLog, cases: oneLog.cases.slice(0, 1) };

/** The shapes of streams without events, whose memory is measured. */
export const idleShapes: readonly IdleShape[] = [
  { name: "1 × 10,000", logs: 1, followersPerLog: 10_000 },
  { name: "10,000 × 1", logs: 10_000, followersPerLog: 1 },
];
export const quickIdleShapes: readonly IdleShape[] = [
  { name: "1 × 3,000", logs: 1, followersPerLog: 3000 },
  { name: "3,000 × 1", logs: 3000, followersPerLog: 1 },
];

const LEAST_ROUNDS = 4;

/** What is published for a sample of so many seconds. */
export function planCase(
  logs: readonly string[],
  { reach, eventsPerLog, gapMs, atOnce = 1 }: FanoutCase,
  seconds: number,
): PublishPlan {
  const rounds = Math.max(LEAST_ROUNDS, Math.round((seconds * 1000) / gapMs));
  return { logs, reach, eventsPerLog, rounds, gapMs, atOnce };
}
