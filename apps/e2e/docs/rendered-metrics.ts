import { createApi } from "@parley/api";
import { ApiSettings } from "@parley/api/config";
import { openTestCore } from "@parley/core/testing";
import { createProcessMetrics, registerLookUps } from "@parley/server";
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

/** Describes every metric of a process, of any part. */
async function describeMetrics(): Promise<Described[]> {
  const { registry } = createProcessMetrics();
  const test = await openTestCore();
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
  // Despite its type, the registry returns the metrics themselves, which have their labels.
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

This page lists every metric of a process. With \`PARLEY_METRICS_PORT\` set, a process serves
\`GET /metrics\` on a port of its own, in the text format of Prometheus. It needs no key, so it listens on
\`PARLEY_METRICS_HOST\`, 127.0.0.1 by default; open it only to the scraper. Every process of a server has its
own: an API shows requests and streams, a worker shows runs, \`parley serve\` both.

Labels are bounded: routes are templates, streams are endpoints, and no label contains an id, a name or a
text from a request. Names of HTTP and of generative AI follow OpenTelemetry's semantic conventions, with
underscores in place of dots.

Questions and the metrics that answer them:

- Do answers come late? \`parley_runs_oldest_waiting_seconds\` grows if there are too few workers,
  \`parley_delivery_lag_seconds\` if hints are lost (\`parley_bus_connected\`) or the process is busy
  (\`parley_event_loop_delay_seconds\`).
- Does the database keep up? \`parley_database_waiting\` is above 0 if the pool is too small.
- Are clients too slow? \`parley_stream_overruns_total\` counts slow readers, which lose nothing;
  \`parley_stream_evictions_total\` counts disconnected ones, which resume.
- Do tools of remote servers answer? \`parley_invocations_ended_total\` with \`program="tool"\` has their outcomes,
  \`parley_invocation_duration_seconds\` their time, \`parley_tool_servers_asked_total\` whether they say what
  they offer.
- Are models down? \`parley_model_circuits\` with \`state="open"\` counts the credentials whose provider keeps failing,
  \`parley_model_fallbacks_total\` the steps in which another model was asked.
- Do prompts hit the providers' caches? The hit rate of a model is
  \`rate(gen_ai_client_inference_usage_cache_read_input_tokens_total[1h])\` by
  \`sum by (gen_ai_provider_name, gen_ai_request_model)\`, divided by the same of
  \`gen_ai_client_token_usage_sum{gen_ai_token_type="input"}\`.
- Do workers die? \`parley_runs_taken_over_total\` counts the runs that other workers continued.

${head}
${rowsOf(all.filter((one) => !isOfNode(one)))}

Metrics of the process itself and of Node:

${head}
${rowsOf(all.filter(isOfNode))}
`;
}
