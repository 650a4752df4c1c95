import { AsyncLocalStorage } from "node:async_hooks";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** What runs queries: the database or a transaction. */
export type Queryable = Omit<PgDatabase<PgQueryResultHKT>, "transaction">;

/** The connections of a pool, and the callers that wait for one. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

/** An open database. */
export interface Database {
  /** Runs queries outside transactions. Throws inside one: see `assertOutsideTransaction`. */
  readonly db: Queryable;
  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** How many of these, and of queries outside of them, run at once. */
  readonly connections: number;
  /**
   * The same for statements over many rows that no request waits for: their timeout is two minutes in
   * place of seven seconds, and they have their own connections.
   */
  readonly slow: Pick<Database, "db" | "transaction">;
  /**
   * Queries whose cost their caller chooses, as searches: each ends after a second, and they have their own
   * connections, so that no other query waits for them. Whoever runs them keeps to their number.
   */
  readonly searches: Pick<Database, "db"> & { readonly connections: number };
  /**
   * Runs statements that last for hours or cannot be in a transaction, as to build an index, on a connection of its own. If
   * the signal aborts, it rejects at once, and what runs is left to PostgreSQL.
   */
  maintain<T>(signal: AbortSignal, work: (db: Queryable) => Promise<T>): Promise<T>;
  /** The state of the pool of connections. */
  readonly pool: () => PoolState;
  /** Resolves once the database answers. Throws if it is read-only, such as a standby. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const scope = new AsyncLocalStorage<{ open: boolean }>();

/** Runs `work` so that `assertOutsideTransaction` throws inside it. */
export async function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  const state = { open: true };
  try {
    return await scope.run(state, work);
  } finally {
    state.open = false;
  }
}

/**
 * Throws inside a transaction. A query outside it would take a second connection: enough of these at
 * once block the pool.
 */
export function assertOutsideTransaction(): void {
  if (scope.getStore()?.open) {
    throw new Error("The database was used inside a transaction: use the transaction instead");
  }
}
