import { createApi } from "@parley/api";
import { ApiSettings } from "@parley/api/config";
import { createProcessMetrics, registerLookUps } from "@parley/cli";
import { openTestCore } from "@parley/core/testing";
import { createWorker } from "@parley/worker";
import { WorkerSettings } from "@parley/worker/config";
import pino from "pino";
import type { Registry } from "prom-client";

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** What every metric of a process is called, whoever's it is. */
async function describeMetrics(): Promise<Described[]> {
  const { registry } = createProcessMetrics();
  const test = await openTestCore("pglite");
  const { core } = test;
  const logger = pino({ level: "silent" });
  const api = await createApi({ core, settings: ApiSettings.parse({}), logger, registry });
  createWorker({ core, settings: WorkerSettings.parse({}), logger, registry });
  registerLookUps(registry, core);
  await api.close(0);
  await test.close();
  return describe(registry);
}

function describe(registry: Registry): Described[] {
  // Whatever its type says, the registry gives the metrics themselves, which know their labels.
  const metrics = registry.getMetricsAsArray() as unknown as (Omit<Described, "type"> & object)[];
  return metrics.map((metric) => {
    const type = metric.constructor.name.toLowerCase();
    return { name: metric.name, help: metric.help, labelNames: metric.labelNames, type };
  });
}

const isOfNode = ({ name }: Described) => /^(?:process|nodejs)_/.test(name);

/** The page about the metrics: a row for each. */
export async function renderMetrics(): Promise<string> {
  const all = (await describeMetrics()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rowsOf = (some: Described[]) =>
    some
      .map(({ name, type, labelNames, help }) => {
        const labels = labelNames.map((label) => `\`${label}\``).join(", ");
        return `| \`${name}\` | ${type} | ${labels} | ${help.replaceAll("|", "\\|")} |`;
      })
      .join("\n");
  const head = "| Metric | Type | Labels | What it is |\n| --- | --- | --- | --- |";
  return `# Metrics

With \`PARLEY_METRICS_PORT\` set, a process serves \`GET /metrics\` on a port of its own, in the text
format of Prometheus. Without it there is no such port. It asks for no key, so it listens on
\`PARLEY_METRICS_HOST\`, 127.0.0.1 by default; open it to nobody but who scrapes. Every process of a
server has its own: an API shows requests and streams, a worker shows runs, \`parley serve\` both.

Labels are bounded: routes are templates, streams are endpoints, and no label holds an id, a name or a
text that somebody sent. Names of HTTP and of generative AI are those of OpenTelemetry's semantic
conventions, dots written as underscores.

Some questions, and where to look:

- Do answers come late? \`parley_runs_oldest_waiting_seconds\` grows where there are too few workers,
  \`parley_delivery_lag_seconds\` where hints are lost (\`parley_bus_connected\`) or the process is busy
  (\`parley_event_loop_delay_seconds\`).
- Does the database keep up? \`parley_database_waiting\` is above 0 where the pool is too small for it.
- Do clients fall behind? \`parley_stream_overruns_total\` counts slow readers, which lose nothing;
  \`parley_stream_evictions_total\` those that were cut off, to resume.
- Do workers die? \`parley_runs_taken_over_total\` counts the runs that others went on with.

${head}
${rowsOf(all.filter((one) => !isOfNode(one)))}

Of the process itself and of Node:

${head}
${rowsOf(all.filter(isOfNode))}
`;
}
