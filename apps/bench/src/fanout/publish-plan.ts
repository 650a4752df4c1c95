import { setImmediate, setTimeout as sleep } from "node:timers/promises";

/** What a publisher does for one sample. */
export interface PublishPlan {
  /** Ids of the logs. */
  readonly logs: readonly string[];
  /** Which of the logs get events in a round. */
  readonly reach: "every log" | "next log";
  /** Events that each log gets together. */
  readonly eventsPerLog: number;
  readonly rounds: number;
  /** From one round to the next; more if rounds take longer. */
  readonly gapMs: number;
  /** Rounds that may be under way at once, so that a commit need not hold up the next. */
  readonly atOnce: number;
}

/** One round of a plan. Its number is in the text of its events. */
export interface Round {
  readonly number: number;
  readonly logs: readonly string[];
  readonly eventsPerLog: number;
}

/** What a process that publishes by itself does on request. */
export type PublisherRequests = {
  /** Gives the time of each round on the clock that processes share. */
  publish(plan: PublishPlan): Promise<number[]>;
  collectGarbage(): Promise<void>;
};

/** Does the rounds, each at its time or as soon as may be; gives their times as `publish` says. */
export async function runPublishPlan(
  plan: PublishPlan,
  publish: (round: Round) => Promise<number>,
): Promise<number[]> {
  const { rounds, gapMs, eventsPerLog } = plan;
  const startedAt = performance.now();
  const times: number[] = [];
  let next = 0;
  const doRounds = async (): Promise<void> => {
    for (let number = next++; number < rounds; number = next++) {
      // Behind time, it lets what waits in this process go first.
      await setImmediate();
      await waitUntil(startedAt + number * gapMs);
      times[number] = await publish({ number, logs: logsOfRound(plan, number), eventsPerLog });
    }
  };
  await Promise.all(Array.from({ length: plan.atOnce }, doRounds));
  return times;
}

/** Waits for a time of `performance.now()`; a timer alone may be a millisecond or two early. */
async function waitUntil(atMs: number): Promise<void> {
  for (let leftMs = atMs - performance.now(); leftMs > 0; leftMs = atMs - performance.now())
    await sleep(Math.ceil(leftMs));
}

/** The logs that get events in a round. */
export function logsOfRound({ logs, reach }: PublishPlan, number: number): readonly string[] {
  if (reach === "every log") return logs;
  const start = number % logs.length;
  return logs.slice(start, start + 1);
}

/** How many events a plan publishes. */
export function countEvents({ logs, reach, eventsPerLog, rounds }: PublishPlan): number {
  return rounds * eventsPerLog * (reach === "every log" ? logs.length : 1);
}

/**
 * Publishes a round if each event is published on its own, one after the other. All have come
 * together, so the time of all is that before the first.
 */
export async function publishOneByOne(
  { number, logs, eventsPerLog }: Round,
  publish: (log: string, event: unknown) => Promise<void> | void,
): Promise<number> {
  const publishedAt = monotonicMs();
  for (let event = 0; event < eventsPerLog; event++) {
    // Apart, as from requests of their own: Node joins what one tick writes to a socket.
    if (event > 0) await setImmediate();
    for (const log of logs) await publish(log, envelopedToken(number, log));
  }
  return publishedAt;
}

/** The character before the number of a round; nothing else in a stream has it. */
export const ROUND_MARK = "#";

const TEXT_LENGTH = 24;

/** An event of a message as it is stored, with its round in the text. */
export function tokenOfRound(round: number, messageId: string) {
  return {
    type: "generation_tokens" as const,
    created: Date.now(),
    configurationId: "bench-0",
    messageId,
    step: 0,
    text: `${ROUND_MARK}${round} `.padEnd(TEXT_LENGTH, "token "),
    classification: "tokens" as const,
  };
}

/** The same event as followers get it: what is not a server of ours sends as many bytes. */
function envelopedToken(round: number, messageId: string) {
  return { eventId: String(round + 1), data: tokenOfRound(round, messageId) };
}

/** Milliseconds on the clock that all processes of a machine share (CLOCK_MONOTONIC on Linux). */
export function monotonicMs(): number {
  // `performance.now()` begins at the start of each process.
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Collects this process's garbage, so that its resident memory is what it keeps. Throws without
 * `--expose-gc`.
 */
export async function collectGarbage(): Promise<void> {
  if (globalThis.gc === undefined) throw new Error("Start this process with --expose-gc");
  // Only the last resort gives empty pages back to the system: a server that has just started had
  // 90 MB of them, which hid what the streams took that were opened next.
  globalThis.gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
