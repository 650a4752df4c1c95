import { setTimeout as sleep } from "node:timers/promises";
import { waitUntilIdle } from "../idle.ts";
import { readResidentBytes } from "../resident-memory.ts";
import type { FollowerGenerator } from "./follower-generator.ts";
import type { FanoutServer, FanoutSubject } from "./subjects.ts";

/** Streams that are opened and closed first, so that what a process loads once is not counted. */
const WARM_UP_STREAMS = 200;
const SETTLE_MS = 500;

/** What streams took that had nothing to do. */
export interface IdleSample {
  readonly bytesPerStream: number;
  readonly opensPerSecond: number;
}

export interface IdlePlan {
  readonly server: FanoutServer;
  readonly logs: readonly string[];
  readonly streams: number;
}

/** Opens streams on a new process; its garbage is collected before its memory is read. */
export async function sampleIdleMemory(
  parent: AsyncDisposableStack,
  { ask }: FollowerGenerator,
  { server, logs, streams }: IdlePlan,
): Promise<IdleSample> {
  await using resources = parent.use(new AsyncDisposableStack());
  const subject = await server.start(resources);
  const requests = logs.map(subject.followRequest);
  const { port } = subject;
  const set = "idle";
  await ask("open", { set, port, requests, count: WARM_UP_STREAMS });
  await ask("close", { set });
  const before = await readSettledBytes(subject);
  const startedAt = performance.now();
  await ask("open", { set, port, requests, count: streams });
  const openedAt = performance.now();
  const after = await readSettledBytes(subject);
  await ask("close", { set });
  return {
    bytesPerStream: (after - before) / streams,
    opensPerSecond: (streams * 1000) / (openedAt - startedAt),
  };
}

async function readSettledBytes(subject: FanoutSubject): Promise<number> {
  await waitUntilIdle(subject.pid);
  await sleep(SETTLE_MS);
  await subject.collectGarbage();
  await sleep(SETTLE_MS);
  return readResidentBytes(subject.pid);
}
