import { once } from "node:events";
import { createServer } from "node:net";
import { describeFailure } from "@parley/command/failures";
import { isParley } from "@parley/command/probe-server";
import { BadConfiguration } from "@parley/command/setting-faults";
import { refusedPort } from "../refused-port.ts";
import { type Finding, fail, failBy, ok, warn } from "./finding.ts";
import { ANSWER_MS, type Surroundings, orNothing } from "./surroundings.ts";

const SETTINGS = "settings";

/** Every setting that is unknown or wrong, of the environment and of `.env`. */
export async function checkSettings({ faults, file }: Surroundings): Promise<readonly Finding[]> {
  const source = file === undefined ? "the environment" : `the environment and ${file}`;
  if (faults.length === 0) return [ok(SETTINGS, `those of ${source} are valid`)];
  return faults.map((fault) => failBy(SETTINGS, fault, "see the settings in parley serve --help"));
}

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
    const finding = `a Parley server with another data directory answers on port ${port} of ${host}`;
    const cure =
      "stop that one, set PARLEY_DATA_DIR to its directory, or PARLEY_PORT to a free port";
    return [fail(what, finding, cure)];
  }
  return [failBy(what, describeFailure(around.context, refusedPort(refusal, wanted)), CURE)];
}

/** The port of the metrics, if a setting names one. */
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
    return [ok(what, `Parley serves its metrics on port ${port} of ${host}`)];
  }
  const wanted = { setting: "PARLEY_METRICS_PORT", host, port } as const;
  return [failBy(what, describeFailure(context, refusedPort(refusal, wanted)), CURE)];
}

const describeFree = (host: string, port: number): string =>
  port === 0 ? `any free one of ${host}` : `${port} of ${host} is free`;

/** Why a process cannot listen there now; undefined if it can. */
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

/** The server that commands call: whether it answers, and is ready. */
export async function checkServer(around: Surroundings): Promise<readonly Finding[]> {
  const what = "server";
  const named = await around.server().catch((error: unknown) => error as Error);
  if (named instanceof BadConfiguration && around.faults.length > 0) return [];
  if (named instanceof BadConfiguration) throw named;
  if (named instanceof Error) return [ok(what, `commands have no server: ${named.message}`)];
  const url = oneUrl(named.url);
  const { isAlive, isReady, details } = await around.probe();
  if (!isAlive) {
    const cure = "correct the URL: PARLEY_URL, or the profile of parley login";
    return [fail(what, `${url} is not a Parley server`, cure)];
  }
  if (!isReady) {
    const cure = "see its log, or run parley doctor on its machine";
    return [fail(what, `${url} is not ready: ${details ?? "no reason given"}`, cure)];
  }
  if (details === undefined) return [ok(what, `${url} is ready`)];
  return [warn(what, `${url} is ready, but: ${details}`, "start a parley worker on its database")];
}

/** The key that commands call it with. */
export async function checkKey(around: Surroundings): Promise<readonly Finding[]> {
  const [server, probe] = await Promise.all([orNothing(around.server), orNothing(around.probe)]);
  if (server === undefined || probe?.isAlive !== true) return [];
  const cure = "parley login saves another key; or set PARLEY_API_KEY";
  try {
    return [ok("key", await around.describeKey())];
  } catch (error) {
    return [failBy("key", (error as Error).message, cure)];
  }
}

/** The versions of this program and of the server. */
export async function checkVersions(around: Surroundings): Promise<readonly Finding[]> {
  const what = "versions";
  const own = around.context.readVersion();
  const probe = await orNothing(around.probe);
  if (probe?.version === undefined) return [ok(what, `parley ${own}`)];
  const finding = `parley ${own}, server ${probe.version}`;
  if (probe.version === own) return [ok(what, finding)];
  return [
    warn(what, finding, `install parley-server@${probe.version} here, or upgrade the server`),
  ];
}

/** Without user and password. */
function oneUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

const CLOCK = "clock";
/** What nobody notices; the server's own answer is exact to a second. */
const APART_MS = 3000;

/** The clock of this machine against those of the database and of the server. */
export async function checkClocks(around: Surroundings): Promise<readonly Finding[]> {
  const [database, server] = await Promise.all([
    orNothing(around.database),
    orNothing(around.probe),
  ]);
  return [
    ...judgeClock("the database", database?.clockAheadMs),
    ...judgeClock("the server", server?.clockAheadMs),
  ];
}

/** Whether this machine's clock and another's say the same. */
export function judgeClock(whose: string, aheadMs: number | undefined): readonly Finding[] {
  if (aheadMs === undefined) return [];
  const seconds = Math.abs(Math.round(aheadMs / 1000));
  if (Math.abs(aheadMs) < APART_MS) return [ok(CLOCK, `it agrees with the clock of ${whose}`)];
  const finding = `it is ${seconds} s ${aheadMs > 0 ? "behind" : "ahead of"} the clock of ${whose}`;
  return [warn(CLOCK, finding, "synchronize both machines with NTP (timedatectl set-ntp true)")];
}
