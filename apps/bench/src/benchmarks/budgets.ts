import * as z from "zod";
import { startLoadGenerator } from "../load/load-generator.ts";
import { type Measured, measureLoads, type Sample, samplesOf, tabulate } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { conversationsPath, type MeasuredServer, startParley } from "../parley-server.ts";
import { type Findings, ratio } from "../report.ts";
import { startTurnProcess } from "./turn.ts";

const administered = "/api/admin/workspaces/{wId}";
const model = { providerId: "openai_compatible", modelId: "bench" };
/** More than the benchmark can spend: calls reserve in it, and none is refused. */
const budget = { name: "All of it", scope: "workspace", limit: "900000000", period: "month" };

/**
 * Measures creates whose answers ask a model with a price, of a service that answers at once, with and without a hard
 * budget, side by side. With it, the call of each answer is reserved before it is sent and settled with its result.
 */
export async function benchBudgets(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, quick } = options;
  const generator = startLoadGenerator(resources);
  const serviceUrl = await startTurnProcess(resources)("serve", { tokens: 20, delayMs: 0 });
  const servers = [];
  for (const name of ["without", "with"] as const) {
    const database = await postgres.createDatabase(resources, `budget_${name}`);
    const settings = { PARLEY_OPENAI_COMPATIBLE_URL: serviceUrl };
    const server = await startParley(resources, database, { settings });
    await ask(server, "PATCH", administered, { enableModels: [model] });
    await ask(server, "POST", `${administered}/prices`, { ...model, input: "1", output: "10" });
    if (name === "with") await ask(server, "POST", `${administered}/budgets`, budget);
    const draft = { name: "Bench", description: "", instructions: "Be short.", model };
    const agent = Agent.parse(await ask(server, "POST", `${administered}/agents`, draft));
    servers.push({ name, ...server, agentId: agent.agentConfiguration.sId });
  }
  const measured: Measured<Sample>[] = [];
  const connections = quick ? ([16] as const) : ([1, 16] as const);
  for (const count of connections) {
    for (const blocking of [false, true]) {
      const create = nameOf(blocking);
      const lanes = servers.map(({ name, subject, address, post, agentId }) => {
        const mentions = [{ configurationId: agentId }];
        const body = { message: { content: "What does it cost?", mentions }, blocking };
        return {
          labels: { create, connections: count, budget: name },
          subject,
          generator,
          load: {
            ...address,
            requests: [post(conversationsPath, body)],
            mustContain: `"status":"${blocking ? "succeeded" : "created"}"`,
            connections: count,
          },
        };
      });
      measured.push(...(await measureLoads(options, `${create}, ${count}`, lanes)));
    }
  }
  const find = (name: string, create: string, count: number) =>
    samplesOf(measured, { budget: name, create, connections: count });
  const questions = connections.flatMap((count) =>
    [false, true]
      .map(nameOf)
      .map((create) =>
        ratio(
          `${create} creates/s with a budget over those without, ${count} connections`,
          { of: find("with", create, count), over: find("without", create, count) },
          { read: ({ perSecond }) => perSecond, target: { atLeast: 0.9 } },
        ),
      ),
  );
  return { tables: [tabulate(measured, "creates")], questions };
}

const Agent = z.object({ agentConfiguration: z.object({ sId: z.string() }) });

const nameOf = (blocking: boolean) => (blocking ? "blocking" : "non-blocking");

/** Calls the server as its admin; fails if it refuses. */
async function ask(
  { urlOf, headers }: MeasuredServer,
  method: "POST" | "PATCH",
  path: string,
  body: unknown,
): Promise<unknown> {
  const response = await fetch(urlOf(path), {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
