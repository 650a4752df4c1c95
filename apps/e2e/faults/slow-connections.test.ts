import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { expectUntouched } from "../hostile/raw.ts";
import { pathsOf, send } from "../request.ts";
import { eventually, type Server, shareServer } from "../server.ts";

// 2,000 clients of the kind that slowhttptest plays take their time, and another client does not notice.

const CONNECTIONS = 2000;
const MEASURE_MS = 2000;
const MAX_RATIO = 5;

const kinds = [
  { name: "headers", flag: "-H", held: CONNECTIONS, options: [] },
  {
    name: "bodies",
    flag: "-B",
    held: CONNECTIONS,
    options: ["-t", "POST", "-f", "application/json", "-s", "8192", "-x", "10"],
  },
  { name: "reads", flag: "-X", held: CONNECTIONS, options: ["-w", "1", "-y", "512", "-z", "5"] },
  { name: "ranges", flag: "-R", held: 0, options: ["-a", "10", "-b", "3000"] },
];

const isMissing = spawnSync("slowhttptest", ["-h"]).error !== undefined;
const reason = isMissing ? ": slowhttptest is not installed" : "";

describe.skipIf(isMissing)(`2,000 slow connections${reason}`, () => {
  const server = shareServer({ PARLEY_RATE_READ_PER_MINUTE: "0" });

  // The machine is shared: what counts is the ratio, and that it can be kept.
  test.for(kinds)("of slow $name leave others their speed", { retry: 2 }, async (kind) => {
    const usual = await measureP99(server());
    const attack = startSlow(server(), kind);
    try {
      await eventually(async () => {
        const held = await countConnections(server());
        return held >= kind.held * 0.95 ? { value: held } : {};
      }, 8000);
      const meanwhile = await measureP99(server());
      expect(await countConnections(server())).toBeGreaterThanOrEqual(kind.held * 0.5);
      expect(meanwhile / usual).toBeLessThan(MAX_RATIO);
    } finally {
      await attack.stop();
    }
    await expectUntouched(server());
  });
});

/** Starts slowhttptest with the admin's key, for at most 18 s. */
function startSlow(server: Server, { flag, options }: (typeof kinds)[number]) {
  const { skills, conversations } = pathsOf(server);
  const path = flag === "-B" ? conversations : skills;
  // It has no option for a header of one's own; the value of one it has may end in another.
  const accept = `*/*\r\nAuthorization: Bearer ${server.demo.adminKey}`;
  const common = ["-c", String(CONNECTIONS), "-r", "1000", "-i", "1", "-l", "18", "-m", accept];
  const child = spawn("slowhttptest", [flag, ...common, ...options, "-u", server.url + path], {
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  return {
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The 99th percentile of requests one after the other, in milliseconds. */
async function measureP99(server: Server): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + MEASURE_MS;
  while (performance.now() < end) {
    const startedAt = performance.now();
    const { status } = await send(server, { path: pathsOf(server).skills });
    expect(status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Infinity;
}

/** How many connections to the server are established, as Linux knows it. */
async function countConnections(server: Server): Promise<number> {
  const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
  const table = await readFile("/proc/net/tcp", "utf8");
  return table
    .split("\n")
    .filter((line) => new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ 01 `).test(line)).length;
}
