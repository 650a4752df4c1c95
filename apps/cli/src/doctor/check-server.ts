import { callServer } from "../connection/call-server.ts";
import { describeSession } from "../connection/who-am-i.ts";
import { readVersion } from "../read-version.ts";
import { BadConfiguration } from "../setting-faults.ts";
import { orNothing } from "./check-database.ts";
import { fail, failBy, type Finding, ok, warn } from "./finding.ts";
import { ANSWER_MS, type Surroundings } from "./surroundings.ts";

/** The server that commands call: whether it answers, and is ready. */
export async function checkServer(around: Surroundings): Promise<readonly Finding[]> {
  const what = "server";
  const named = await around.server().catch((error: unknown) => error as Error);
  if (named instanceof BadConfiguration && around.faults.length > 0) return [];
  if (named instanceof BadConfiguration) throw named;
  if (named instanceof Error) return [ok(what, `commands call none: ${named.message}`)];
  const url = oneUrl(named.url);
  const { isAlive, isReady, details } = await callServer(around.probe());
  if (!isAlive) {
    const cure = "correct the URL: PARLEY_URL, or the profile of parley login";
    return [fail(what, `what answers at ${url} is no Parley`, cure)];
  }
  if (!isReady) {
    const cure = "its log says why; parley doctor on its machine says more";
    return [fail(what, `${url} is not ready: ${details ?? "it does not say why"}`, cure)];
  }
  if (details === undefined) return [ok(what, `${url} is ready`)];
  return [warn(what, `${url} is ready, but: ${details}`, "start a parley worker on its database")];
}

/** The key that commands call it with. */
export async function checkKey(around: Surroundings): Promise<readonly Finding[]> {
  const [server, probe] = await Promise.all([orNothing(around.server), orNothing(around.probe)]);
  if (server === undefined || probe?.isAlive !== true) return [];
  const { rpc } = around.context.connect(server);
  const signal = AbortSignal.timeout(ANSWER_MS);
  const cure = "parley login saves another key; or set PARLEY_API_KEY";
  try {
    const { session } = await callServer(rpc.session.get.query({}, { signal }));
    return [ok("key", describeSession(session))];
  } catch (error) {
    return [failBy("key", (error as Error).message, cure)];
  }
}

/** The versions of this program and of the server. */
export async function checkVersions(around: Surroundings): Promise<readonly Finding[]> {
  const what = "versions";
  const own = readVersion();
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
