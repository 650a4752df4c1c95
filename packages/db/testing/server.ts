import { startCluster } from "./cluster.ts";
import { dropTemplate } from "./databases.ts";

/** Where a run's processes find its PostgreSQL. */
export const SERVER_VARIABLE = "PARLEY_TEST_DATABASE_URL";

/** Reads the URL of the run's PostgreSQL. Throws if nobody has started one. */
export function serverUrl(): string {
  const url = process.env[SERVER_VARIABLE];
  if (url === undefined) throw new Error(`${SERVER_VARIABLE} is not set: tests run with vitest`);
  return url;
}

/**
 * Gives a run of tests its PostgreSQL, in this process's environment: the one of `DATABASE_URL`, or else
 * one that is gone when it is disposed of. A run within a run has that one's.
 */
export async function openServer(): Promise<AsyncDisposable> {
  if (process.env[SERVER_VARIABLE] !== undefined) return { [Symbol.asyncDispose]: async () => {} };
  const given = process.env["DATABASE_URL"] ?? "";
  const cluster = given === "" ? await startCluster() : undefined;
  const url = cluster?.url ?? given;
  process.env[SERVER_VARIABLE] = url;
  return {
    [Symbol.asyncDispose]: async () => {
      delete process.env[SERVER_VARIABLE];
      if (cluster === undefined) await dropTemplate(url);
      await cluster?.[Symbol.asyncDispose]();
    },
  };
}
