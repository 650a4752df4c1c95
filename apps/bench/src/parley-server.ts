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

/** Bundles the server, so that what is measured is what is in the tree. */
export async function buildServer(): Promise<void> {
  const cwd = path.join(repository, "apps/cli");
  await promisify(execFile)("node_modules/.bin/rolldown", ["--config"], { cwd });
}

/** Starts the built server: on PostgreSQL where a url is given, else on a new embedded database. */
export async function startParley(
  resources: AsyncDisposableStack,
  databaseUrl?: string,
): Promise<ParleyServer> {
  const directory = await mkdtemp(path.join(tmpdir(), "parley-bench-"));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const server = startProcess(resources, {
    name: "The server",
    arguments: [cliFile, "serve", "--demo"],
    environment: {
      PARLEY_PORT: "0",
      PARLEY_DATA_DIR: directory,
      PARLEY_LOG_LEVEL: "warn",
      ...unlimited,
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
  });
  const demo = await server.waitFor(() => readDemo(directory));
  return { pid: server.pid, demo };
}

async function readDemo(directory: string): Promise<Demo | undefined> {
  const content = await readFile(path.join(directory, "demo.json"), "utf8").catch(() => undefined);
  return content === undefined ? undefined : Demo.parse(JSON.parse(content));
}
