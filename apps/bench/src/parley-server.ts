import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as z from "zod";
import { startProcess } from "./child-process.ts";

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

/** Makes a data directory that is gone with `resources`. */
export async function makeDataDirectory(resources: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "parley-bench-"));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts the built server: on PostgreSQL where a url is given, else on a new embedded database. */
export async function startParley(
  resources: AsyncDisposableStack,
  databaseUrl?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ParleyServer> {
  const environment = {
    ...settings,
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  return startParleyOn(resources, await makeDataDirectory(resources), environment);
}

/** The same in a data directory that may have been served from before. */
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
