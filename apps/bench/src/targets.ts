/** The bound that a median is held to. */
export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly below?: number;
}

/** What each result is held to: the only place of these numbers. */
export const targets = {
  blockingCreateServerMs: { atMost: 2 },
  blockingCreatesOverFloor: { atLeast: 0.65 },
  blockingLatencyOverFloor: { atMost: 2 },
  blockingLatencyOverNonBlocking: { atMost: 4 },
  embeddedOverPostgres: { atLeast: 0.9 },
  readOverBlockingCreate: { atMost: 0.8 },
  postToLongConversation: { atMost: 1.2 },
  invocationsOverFloor: { atLeast: 0.6 },
  invocationsOverFloorAlone: { atLeast: 0.5 },
  codeOverSimulated: { atLeast: 0.5 },
  bystander: { atMost: 3 },
  codeBeyondSimulatedMs: { atMost: 5 },
  scriptKb: { atMost: 250 },
  interactiveMs: { atMost: 1500 },
  longestTaskMs: { atMost: 200 },
  longTasksOfRuns: { atMost: 20 },
  invocationAfterMillion: { atMost: 1.2 },
  deliveryToMany: { atMost: 1.1 },
  deliveryToOne: { atMost: 1.2 },
  deliveriesTogether: { atMost: 1 },
  latencyTogether: { atMost: 1 },
  latencyOfSteadyEvents: { atMost: 2 },
  bytesOfStream: { atMost: 1.4 },
  cachedList: { atMost: 4 },
  unchangedList: { atMost: 6 },
  firstList: { atMost: 2 },
  firstTokenMs: { atMost: 20 },
  turnOverAiSdk: { atMost: 1.5 },
  operationOnBigDatabase: { atMost: 1.2 },
  warmStartMs: { atMost: 1500 },
  idleCorePercent: { below: 0.5 },
  idleStatementsPerSecond: { atMost: 2 },
  idleMebibytes: { below: 200 },
} as const satisfies Readonly<Record<string, Target>>;

/** The bound in words; empty without one. */
export function describeTarget({ atLeast, atMost, below }: Target): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  if (atMost !== undefined) return `at most ${atMost}`;
  return below === undefined ? "" : `below ${below}`;
}

/** Whether a value is within the bound; NaN never is. */
export function meetsTarget(value: number, { atLeast, atMost, below }: Target): boolean {
  return (
    value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) && value < (below ?? Infinity)
  );
}
