import type { ActionRow } from "@parley/core";
import { Counter, type Registry } from "prom-client";

/** Metrics of the calls that agents answer themselves, without a function, a server or a person. */
export interface OwnCallMetrics {
  /** Counts those of the calls of a step that has been saved. */
  answered(rows: readonly Pick<ActionRow, "functionCallName" | "status">[]): void;
}

const kinds = ["memory", "knowledge", "skills"] as const;

const kindOf = (name: string) =>
  kinds.find((kind) => name === kind || name.startsWith(`${kind}__`));

/** Registers the metrics of the calls that agents answer themselves. */
export function createOwnCallMetrics(registry: Registry): OwnCallMetrics {
  const calls = new Counter({
    name: "parley_own_calls_total",
    help: "Calls of the memory, of knowledge and of skills that this worker answered. outcome: succeeded, or errored (the model is told why)",
    labelNames: ["tools", "outcome"],
    registers: [registry],
  });
  for (const tools of kinds) {
    for (const outcome of ["succeeded", "errored"]) calls.inc({ tools, outcome }, 0);
  }
  return {
    answered: (rows) => {
      for (const { functionCallName, status } of rows) {
        const tools = kindOf(functionCallName);
        if (tools === undefined || (status !== "succeeded" && status !== "errored")) continue;
        calls.inc({ tools, outcome: status });
      }
    },
  };
}
