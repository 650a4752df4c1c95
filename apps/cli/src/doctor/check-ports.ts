import { once } from "node:events";
import { createServer } from "node:net";
import { describeFailure } from "../describe-failure.ts";
import { refusedPort } from "../server/refused-port.ts";
import { orNothing } from "./check-database.ts";
import { fail, failBy, type Finding, ok } from "./finding.ts";
import { isParley } from "../connection/probe-server.ts";
import { ANSWER_MS, type Surroundings } from "./surroundings.ts";

const CURE = "correct the setting of the port";

/** The port of the API: whether it is free, or the server that runs here has it. */
export async function checkPort(around: Surroundings): Promise<readonly Finding[]> {
  const what = "port";
  const { PARLEY_HOST: host, PARLEY_PORT: port } = around.settings;
  const wanted = { setting: "PARLEY_PORT", host, port } as const;
  const refusal = await whyRefused(host, port);
  if (refusal === undefined) return [ok(what, describeFree(host, port))];
  const isTaken = (refusal as NodeJS.ErrnoException).code === "EADDRINUSE";
  if (isTaken && (await isParley(urlOf(host, port), ANSWER_MS))) {
    const holder = around.isEmbedded ? (await orNothing(around.directory))?.holder : undefined;
    // On the embedded database there is one server, and its directory names it.
    if (!around.isEmbedded) return [ok(what, `Parley answers on port ${port} of ${host}`)];
    if (holder !== undefined) {
      return [ok(what, `Parley answers on port ${port} of ${host}: ${holder}`)];
    }
    const finding = `a Parley with another data directory answers on port ${port} of ${host}`;
    const cure =
      "stop that one, set PARLEY_DATA_DIR to its directory, or PARLEY_PORT to a free port";
    return [fail(what, finding, cure)];
  }
  return [failBy(what, describeFailure(around.context, refusedPort(refusal, wanted)), CURE)];
}

/** The port of the metrics, where a setting names one. */
export async function checkMetricsPort({
  context,
  settings,
}: Surroundings): Promise<readonly Finding[]> {
  const what = "metrics port";
  const { PARLEY_METRICS_HOST: host, PARLEY_METRICS_PORT: port } = settings;
  if (port === undefined) return [];
  const refusal = await whyRefused(host, port);
  if (refusal === undefined) return [ok(what, describeFree(host, port))];
  const isTaken = (refusal as NodeJS.ErrnoException).code === "EADDRINUSE";
  if (isTaken && (await hasMetrics(urlOf(host, port)))) {
    return [ok(what, `Parley gives its metrics on port ${port} of ${host}`)];
  }
  const wanted = { setting: "PARLEY_METRICS_PORT", host, port } as const;
  return [failBy(what, describeFailure(context, refusedPort(refusal, wanted)), CURE)];
}

const describeFree = (host: string, port: number): string =>
  port === 0 ? `any free one of ${host}` : `${port} of ${host} is free`;

/** Why a process cannot listen there now; undefined where it can. */
async function whyRefused(host: string, port: number): Promise<unknown> {
  const server = createServer().listen({ host, port, exclusive: true });
  try {
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return error;
  } finally {
    server.close();
  }
}

/** Where one of this machine reaches what listens: on every address, one is enough. */
function urlOf(host: string, port: number): string {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

async function hasMetrics(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return /^parley_/m.test(await answer.text());
  } catch {
    return false;
  }
}
