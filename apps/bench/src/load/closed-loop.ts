import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../statistics.ts";
import { type Answer, openConnection } from "./http-connection.ts";
import type { LoadPlan, LoadResult } from "./plan.ts";

/**
 * Sends the plan's requests on its connections, on each the next one when the answer came. Only
 * answers within the window count. Throws at the first answer that is not as it must be.
 */
export async function runClosedLoop(
  plan: LoadPlan,
  onWindow: (state: "opened" | "closed") => void,
): Promise<LoadResult> {
  const { connections: count, warmUpMs, windowMs } = plan;
  const requests = plan.requests.map((request) => Buffer.from(request));
  let sent = 0;
  const nextRequest = () => requests[sent++ % requests.length] ?? Buffer.alloc(0);
  const opening = Array.from({ length: count }, () => openConnection(plan.host, plan.port));
  const connections = await Promise.all(opening);
  const opensAt = performance.now() + warmUpMs;
  const closesAt = opensAt + windowMs;
  const latencies: number[] = [];
  const announce = async (): Promise<void> => {
    await sleep(warmUpMs);
    onWindow("opened");
    await sleep(closesAt - performance.now());
    onWindow("closed");
  };
  const loops = connections.map(async (connection) => {
    for (let sentAt = performance.now(); sentAt < closesAt;) {
      const answer = await connection.send(nextRequest());
      const answeredAt = performance.now();
      requireGood(answer, plan);
      if (answeredAt >= opensAt && answeredAt < closesAt) latencies.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  });
  let done = false;
  // Never sleeps, so that nobody pays for waking it.
  const stayAwake = async (): Promise<void> => {
    while (!done) await nextTurn();
  };
  if (plan.staysAwake) void stayAwake();
  try {
    await Promise.all([announce(), ...loops]);
  } finally {
    done = true;
    for (const connection of connections) connection.close();
  }
  return {
    count: latencies.length,
    perSecond: (latencies.length * 1000) / windowMs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

function requireGood({ status, body }: Answer, { mustBe = 200, mustContain }: LoadPlan): void {
  if (status === mustBe && body.includes(mustContain)) return;
  throw new Error(
    `Expected ${mustBe} and ${mustContain}, got ${status}: ${body.toString().slice(0, 500)}`,
  );
}
