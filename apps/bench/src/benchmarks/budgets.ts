import { startLoadGenerator } from "../load/load-generator.ts";
import { type Measured, measureLoads, type Sample, samplesOf, tabulate } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import type { MeasuredServer } from "../parley-server.ts";
import { type Findings, ratio } from "../report.ts";
import { startCreator } from "./create.ts";

/** The demo's agent that answers at once plays a script: it costs what a workspace says. */
const price = {
  providerId: "simulated",
  modelId: "simulated-1",
  currency: "USD",
  input: "1",
  output: "10",
};
/** More than the benchmark can spend: calls reserve in it, and none is refused. */
const budget = { name: "All of it", scope: "workspace", limit: "900000000", period: "month" };

/**
 * Measures creates in a workspace whose model has a price, with and without a hard budget, side by side. With it,
 * the call of each answer is reserved before it is sent and settled with its result.
 */
export async function benchBudgets(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, quick } = options;
  const generator = startLoadGenerator(resources);
  const servers = [];
  for (const name of ["without", "with"] as const) {
    const database = await postgres.createDatabase(resources, `${name}-budget`);
    const server = await startCreator(resources, database);
    await post(server, "/api/admin/workspaces/{wId}/prices", price);
    if (name === "with") await post(server, "/api/admin/workspaces/{wId}/budgets", budget);
    servers.push({ name, ...server });
  }
  const measured: Measured<Sample>[] = [];
  const connections = quick ? ([16] as const) : ([1, 16] as const);
  for (const count of connections) {
    for (const blocking of [false, true]) {
      const create = blocking ? "blocking" : "non-blocking";
      const lanes = servers.map(({ name, subject, loadOf }) => ({
        labels: { create, connections: count, budget: name },
        subject,
        generator,
        load: loadOf({ blocking, connections: count }),
      }));
      measured.push(...(await measureLoads(options, `${create}, ${count}`, lanes)));
    }
  }
  const find = (name: string, create: string, count: number) =>
    samplesOf(measured, { budget: name, create, connections: count });
  const questions = connections.flatMap((count) =>
    ["non-blocking", "blocking"].map((create) =>
      ratio(
        `${create} creates/s with a budget over those without, ${count} connections`,
        { of: find("with", create, count), over: find("without", create, count) },
        { read: ({ perSecond }) => perSecond, target: { atLeast: 0.9 } },
      ),
    ),
  );
  return { tables: [tabulate(measured, "creates")], questions };
}

/** Calls the server as its admin; fails if it refuses. */
async function post(
  { urlOf, headers }: MeasuredServer,
  path: string,
  body: unknown,
): Promise<void> {
  const response = await fetch(urlOf(path), {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
