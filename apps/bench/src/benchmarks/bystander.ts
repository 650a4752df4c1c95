import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";
import { percentile } from "../statistics.ts";

const FLOOD = 100;
const CALLS = 400;
const AT_ONCE = 2;
const ROUNDS = 5;

/** Loops, fills its memory, and calls what does not look at its limits. */
const floodSource = `export default (kind) => {
  if (kind === 0) for (;;);
  if (kind === 1) { const all = []; for (;;) all.push(new Array(1e4).fill(1)); }
  return new Array(1e9) + "";
};`;

interface Tenant {
  readonly url: string;
  readonly wId: string;
  readonly key: string;
}

interface Round {
  readonly usualMs: number;
  readonly floodedMs: number;
}

/**
 * Measures how much longer a workspace waits for its functions while another has a hundred at once that take
 * whatever they get.
 */
export async function benchBystander({
  postgres,
  resources,
  print,
}: BenchmarkOptions): Promise<Findings> {
  const database = await postgres.createDatabase(resources, "bystander");
  const { demo } = await startParley(resources, database);
  const bystander = { url: demo.url, wId: demo.workspaceId, key: demo.adminKey };
  const flooder = await createFlooder(demo);
  await measureP99(bystander);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const usualMs = await measureP99(bystander);
    const ids = await flood(flooder);
    const floodedMs = await measureP99(bystander);
    await untilEnded(flooder, ids);
    rounds.push({ usualMs, floodedMs });
    print(
      `round ${round} of ${ROUNDS}: p99 ${usualMs.toFixed(1)} ms, then ${floodedMs.toFixed(1)} ms\n`,
    );
  }
  const question = {
    name: "p99 of a workspace's code beside 100 hostile functions over its usual one",
    of: rounds.map(({ floodedMs }) => floodedMs),
    over: rounds.map(({ usualMs }) => usualMs),
    target: { atMost: 3 },
  };
  return { questions: [question] };
}

async function createFlooder({ url, operatorKey }: Demo): Promise<Tenant> {
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name: "Flooder" });
  const wId = workspace.sId;
  const named = { wId, name: "flooder", role: "admin" } as const;
  const { secret: key } = await operator.apiKeys.create.mutate(named);
  const program = { type: "javascript", source: floodSource, cpuMs: 400 } as const;
  await createRpcClient({ url, apiKey: key }).sandboxFunctions.create.mutate({
    wId,
    slug: "flood",
    program,
    maxConcurrent: FLOOD,
  });
  return { url, wId, key };
}

async function invoke(
  { url, wId, key }: Tenant,
  { slug, input, prefer = "" }: { slug: string; input: unknown; prefer?: string },
): Promise<string> {
  const response = await fetch(`${url}/api/w/${wId}/sandbox-functions/${slug}/invocations`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", prefer },
    body: JSON.stringify({ input }),
  });
  return response.text();
}

/** The time that one call of a hundred exceeds, in milliseconds. */
async function measureP99(tenant: Tenant): Promise<number> {
  const times: number[] = [];
  let left = CALLS;
  const call = async (): Promise<void> => {
    while (left-- > 0) {
      const startedAt = performance.now();
      const text = await invoke(tenant, { slug: "invoice-total", input: { lines: [] } });
      if (!text.includes('"total":0')) throw new Error(`The function answered ${text}`);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, call));
  return percentile(times, 0.99);
}

async function flood(tenant: Tenant): Promise<string[]> {
  const begun = Array.from({ length: FLOOD }, (_, index) =>
    invoke(tenant, { slug: "flood", input: index % 3, prefer: "respond-async" }),
  );
  const answers = await Promise.all(begun);
  return answers.map((text) => /"sId":"(sfi_\w+)"/.exec(text)?.[1] ?? "");
}

async function untilEnded({ url, wId, key }: Tenant, ids: readonly string[]): Promise<void> {
  const root = `${url}/api/w/${wId}/sandbox-functions/flood/invocations`;
  for (const id of ids) {
    const isOpen = async (): Promise<boolean> => {
      const headers = { Authorization: `Bearer ${key}` };
      const text = await (await fetch(`${root}/${id}`, { headers })).text();
      return text.includes('"status":"created"');
    };
    while (await isOpen()) await sleep(100);
  }
}
