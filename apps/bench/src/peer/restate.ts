import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { findFreePort, makeDirectory, startListening, startProcess } from "../child-process.ts";
import { source } from "../seed/seed-invocations.ts";

/** The server with its binary, and the newest SDK that its table of versions has for this server. */
export const restatePackages = [
  "@restatedev/restate-server@1.7.12",
  "@restatedev/restate-sdk@1.16.9",
] as const;

const INSTALL_WITHIN_MS = 180_000;
const REQUEST_WITHIN_MS = 5000;

const InstalledTree = z.object({
  packages: z.record(z.string(), z.object({ version: z.string() })),
});

/** A folder with packages, which is gone with `resources`. */
export interface InstalledPackages {
  readonly folder: string;
  /** What is in it, with what the packages need: `name@version` each. */
  readonly names: readonly string[];
}

/**
 * Installs packages that are too large for everybody's workspace, without their scripts. Throws if
 * npm cannot, or takes longer than three minutes.
 */
export async function installPackages(
  resources: AsyncDisposableStack,
  packages: readonly string[],
): Promise<InstalledPackages> {
  const folder = await makeDirectory(resources);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  const words = ["install", "--prefix", folder, ...flags, ...packages];
  const installing = promisify(execFile)("npm", words, { cwd: folder, timeout: INSTALL_WITHIN_MS });
  resources.defer(async () => {
    installing.child.kill();
    await installing.catch(() => undefined);
  });
  await installing;
  const tree = await readFile(path.join(folder, "node_modules/.package-lock.json"), "utf8");
  const installed = Object.entries(InstalledTree.parse(JSON.parse(tree)).packages);
  const names = installed.map(
    ([at, { version }]) => `${at.replace(/^node_modules\//, "")}@${version}`,
  );
  return { folder, names };
}

const service = `
  import { createServer } from "node:http2";
  import { createEndpointHandler, service } from "@restatedev/restate-sdk";
  import add from "./add.mjs";

  const peer = service({ name: "peer", handlers: { add: (_context, input) => add(input) } });
  const endpoint = createEndpointHandler({ services: [peer] });
  createServer(endpoint).listen(Number(process.argv[2]), "127.0.0.1");
`;

/** A Restate server, and where its ingress invokes the function. */
export interface Restate {
  readonly pid: number;
  readonly url: URL;
}

/**
 * Starts a Restate server with its default settings on a new data directory, and a service whose
 * handler has the code that Parley's function has. Resolves once an invocation was answered.
 */
export async function startRestate(
  resources: AsyncDisposableStack,
  { folder }: InstalledPackages,
): Promise<Restate> {
  await writeFile(path.join(folder, "add.mjs"), source);
  await writeFile(path.join(folder, "service.mjs"), service);
  const { port: servicePort } = await startListening(resources, {
    name: "The service of Restate",
    argumentsFor: (port) => [path.join(folder, "service.mjs"), String(port)],
    environment: { RESTATE_LOGGING: "WARN" },
  });
  const [ingress, admin, internal] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  const binary = `restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  const server = startProcess(resources, {
    name: "Restate",
    program: path.join(folder, "node_modules/@restatedev", binary),
    arguments: ["--no-logo"],
    environment: {
      RESTATE_BASE_DIR: await makeDirectory(resources),
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_BIND_PORT: String(internal),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LOG_FILTER: "warn",
      RESTATE_DISABLE_TELEMETRY: "true",
    },
  });
  const deployments = new URL(`http://127.0.0.1:${admin}/deployments`);
  const deployment = { uri: `http://127.0.0.1:${servicePort}` };
  await server.waitFor(() => post(deployments, deployment));
  const url = new URL(`http://127.0.0.1:${ingress}/peer/add`);
  await server.waitFor(() => post(url, { a: 1, b: 2 }));
  return { pid: server.pid, url };
}

/** The answer to a request; none while there is no good one. */
async function post(url: URL, body: unknown): Promise<string | undefined> {
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_WITHIN_MS),
  };
  try {
    const response = await fetch(url, request);
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
