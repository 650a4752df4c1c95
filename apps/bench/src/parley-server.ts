import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { makeDirectory, startProcess } from "./child-process.ts";
import { addressOf, formatGet, formatPost, type Load } from "./load/plan.ts";
import type { Subject } from "./measure.ts";
import type { ScratchDatabase } from "./scratch-database.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** The built `parley`. */
export const cliFile = path.join(repository, "apps/cli/dist/bin/parley.js");

/** What the server writes into demo.json once it serves. */
export const Demo = z.object({
  url: z.url(),
  pid: z.int(),
  workspaceId: z.string(),
  adminKey: z.string(),
  userKey: z.string(),
  operatorKey: z.string(),
});
export type Demo = z.infer<typeof Demo>;

/** A built server with the demo workspace, and no rate limits. */
export interface ParleyServer {
  readonly pid: number;
  readonly demo: Demo;
}

/** Such a server as what is measured. */
export interface MeasuredServer extends ParleyServer {
  readonly subject: Subject;
  readonly address: Pick<Load, "host" | "port">;
  /** Of requests by an admin. */
  readonly headers: Readonly<Record<string, string>>;
  /** The url of a path, in which `{wId}` is the demo workspace. */
  urlOf(path: string): URL;
  /** Requests by an admin as they go over the wire. */
  get(path: string, headers?: Readonly<Record<string, string>>): string;
  post(path: string, body: unknown): string;
}

/** Path of the conversations of the demo workspace. */
export const conversationsPath = "/api/v1/w/{wId}/assistant/conversations";

/** Settings of a server that no load runs into. */
export const unlimited = {
  PARLEY_RATE_CREATE_PER_MINUTE: "0",
  PARLEY_RATE_CREATE_PER_HOUR: "0",
  PARLEY_RATE_READ_PER_MINUTE: "0",
  PARLEY_RATE_INVOKE_PER_MINUTE: "0",
  PARLEY_WORKSPACE_WAITING_RUNS: "1000000",
};

/** Builds the server and the packages that benchmarks run, so that what is measured is in the tree. */
export async function buildServer(): Promise<void> {
  const filters = ["parley-server", "@parley/bench^..."].map((name) => `--filter=${name}`);
  const words = ["run", "build", ...filters, "--output-logs=errors-only"];
  await promisify(execFile)("node_modules/.bin/turbo", words, { cwd: repository });
}

/** Starts the built server: on the database if one is given, else on a new embedded one. */
export async function startParley(
  resources: AsyncDisposableStack,
  database: ScratchDatabase | undefined,
  { name = "parley", settings = {} }: { name?: string; settings?: Record<string, string> } = {},
): Promise<MeasuredServer> {
  const server = await startParleyOn(resources, await makeDirectory(resources), {
    ...settings,
    ...(database !== undefined && { DATABASE_URL: database.url }),
  });
  const { pid, demo } = server;
  const headers = { Authorization: `Bearer ${demo.adminKey}` };
  const urlOf = (route: string) => new URL(route.replace("{wId}", demo.workspaceId), demo.url);
  return {
    ...server,
    subject: { name, pid, backends: database?.backends ?? (async () => []) },
    address: addressOf(new URL(demo.url)),
    headers,
    urlOf,
    get: (route, more = {}) => formatGet(urlOf(route), { ...headers, ...more }),
    post: (route, body) => formatPost(urlOf(route), headers, body),
  };
}

/** Starts the built server in a data directory that may have been served from before. */
export async function startParleyOn(
  resources: AsyncDisposableStack,
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ParleyServer> {
  const server = startProcess(resources, {
    name: "The server",
    arguments: [cliFile, "serve", "--demo"],
    environment: {
      PARLEY_PORT: "0",
      PARLEY_DATA_DIR: directory,
      PARLEY_LOG_LEVEL: "warn",
      ...unlimited,
      ...settings,
    },
  });
  const demo = await server.waitFor(async () => {
    const found = await readDemo(directory);
    // A server before this one has left its own.
    return found?.pid === server.pid ? found : undefined;
  });
  return { pid: server.pid, demo };
}

async function readDemo(directory: string): Promise<Demo | undefined> {
  const content = await readFile(path.join(directory, "demo.json"), "utf8").catch(() => undefined);
  return content === undefined ? undefined : Demo.parse(JSON.parse(content));
}
