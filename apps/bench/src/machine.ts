import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import type { Postgres } from "./scratch-database.ts";

/** One line about where and when a benchmark ran. */
export function describeMachine({ version, isEmbedded }: Postgres): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const [load = 0] = loadavg();
  return [
    new Date().toISOString(),
    `${availableParallelism()} cores (${model}), ${memory}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${version}${isEmbedded ? ", embedded" : ""}`,
    `load average ${load.toFixed(2)} before`,
  ].join("; ");
}
