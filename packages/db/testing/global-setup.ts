import { openServer } from "./server.ts";

/** Starts the PostgreSQL of a run of vitest. Gives what stops it. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await openServer();
  return async () => server[Symbol.asyncDispose]();
}
