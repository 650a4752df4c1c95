import {
  countTestUsage,
  insertTestWorkspace,
  loseTestCall,
  openTestContext,
  openTestCore,
  testCall,
  type TestCore,
  writeTestUsage,
} from "@parley/core/testing";
import { Registry } from "prom-client";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createUsageMetrics } from "./runs/usage-metrics.ts";
import { startUsageSums } from "./usage-sums.ts";

let test: TestCore;
beforeAll(async () => {
  test = await openTestCore();
});
afterAll(() => test.close());

it("sums and settles at once, and counts each call once in the metrics", async () => {
  const { core } = test;
  const context = await openTestContext(core, await insertTestWorkspace(core));
  const lost = testCall(context, { modelId: "made-up" });
  await loseTestCall(context, { ...lost, amount: 500_000_000n });
  await writeTestUsage(
    context,
    {},
    { cachedInputTokens: 60 },
    { modelId: "made-up", amount: null },
  );
  const registry = new Registry();
  const metrics = createUsageMetrics(registry);
  const logged: string[] = [];
  const logger = pino({ level: "error" }, { write: (line: string) => void logged.push(line) });
  // A second worker sums too; the lost call is settled beside the first sums.
  for (let tries = 0; tries < 20 && (await countTestUsage(context, true)) < 4; tries++) {
    const stops = [1, 2].map(() => startUsageSums({ core, logger, metrics }));
    await Promise.all(stops.map((stop) => stop()));
  }
  expect(logged).toEqual([]);
  const of = (model: string) =>
    `gen_ai_provider_name="${model === "other" ? model : "openai"}",gen_ai_request_model="${model}"`;
  const shown = await registry.metrics();
  for (const line of [
    `parley_billed_calls_total{${of("gpt-5")},origin="answer",kind="counted"} 2`,
    `parley_billed_calls_total{${of("other")},origin="answer",kind="counted"} 1`,
    `parley_billed_calls_total{${of("other")},origin="answer",kind="estimated"} 1`,
    `parley_billed_tokens_total{${of("gpt-5")},kind="input"} 200`,
    `parley_billed_tokens_total{${of("gpt-5")},kind="cached_input"} 60`,
    `parley_billed_amount_total{${of("gpt-5")},currency="USD"} 2`,
    `parley_billed_amount_total{${of("other")},currency="USD"} 0.5`,
  ]) {
    expect(shown.split("\n")).toContain(line);
  }
});
