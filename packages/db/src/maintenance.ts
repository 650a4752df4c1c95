import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Queryable } from "./database.ts";

/** Time for a statement: an index of millions of vectors takes hours. */
const STATEMENT_MS = 6 * 3_600_000;
const CONNECT_MS = 10_000;

/**
 * Runs `work` on a connection of its own, outside transactions. If the signal aborts, it rejects at once; a statement that
 * has begun is left to PostgreSQL, which ends it by itself.
 */
export async function maintainPostgres<T>(
  url: string,
  signal: AbortSignal,
  work: (db: Queryable) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
    application_name: "parley",
  });
  // A connection that breaks fails the query that runs.
  client.on("error", () => {});
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const working = client.connect().then(() => work(drizzle(client)));
    return await Promise.race([working, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    // Cuts a connection whose statement runs.
    client.end().catch(() => {});
  }
}
