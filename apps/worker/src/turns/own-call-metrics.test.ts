import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createOwnCallMetrics } from "./own-call-metrics.ts";

it("counts calls of the memory, of knowledge and of skills by how they ended", async () => {
  const registry = new Registry();
  const metrics = createOwnCallMetrics(registry);
  const call = (functionCallName: string, status: string) => ({ functionCallName, status });
  metrics.answered([
    call("memory", "succeeded"),
    call("memory", "errored"),
    call("knowledge__search", "succeeded"),
    call("skills__load", "succeeded"),
    call("memory_of_mine", "succeeded"),
    call("look", "succeeded"),
    call("memory", "running"),
  ]);
  const [metric] = await registry.getMetricsAsJSON();
  const counted = metric?.values.map(({ labels, value }) => [
    labels["tools"],
    labels["outcome"],
    value,
  ]);
  expect(counted).toEqual([
    ["memory", "succeeded", 1],
    ["memory", "errored", 1],
    ["knowledge", "succeeded", 1],
    ["knowledge", "errored", 0],
    ["skills", "succeeded", 1],
    ["skills", "errored", 0],
  ]);
});
