import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";

/** Whether `redis-server` is installed; the suffix is for the names of skipped suites. */
export const redisServer =
  spawnSync("redis-server", ["--version"]).status === 0
    ? { isMissing: false, suffix: "" }
    : { isMissing: true, suffix: ": redis-server is not installed" };

/** A Redis server of one test, without persistence. */
export interface TestRedis {
  readonly url: string;
  /** Suspends it: connections stay open, without answers. */
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
  /** Starts it again on its port. */
  start(): Promise<void>;
}

/** Starts a Redis server on a free port of the loopback; the test must kill it. */
export async function startTestRedis(): Promise<TestRedis> {
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    const flags = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"];
    child = spawn("redis-server", ["--port", String(port), ...flags], { stdio: "ignore" });
    await waitForAnswer(url);
  };
  await start();
  return {
    url,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    start,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function waitForAnswer(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 250 });
  redis.on("error", () => {});
  await redis.ping();
  redis.disconnect();
}

/** Waits until something holds; fails after `withinMs`. */
export async function until(holds: () => boolean, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Waited ${withinMs} ms in vain`);
    await sleep(5);
  }
}
