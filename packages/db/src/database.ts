import { AsyncLocalStorage } from "node:async_hooks";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type * as tables from "./tables.ts";

/** What queries run on: the database itself, or a transaction. */
export type Queryable = Omit<PgDatabase<PgQueryResultHKT, typeof tables>, "transaction">;

/** The connections of a pool, and who waits for one. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

/** An open database. */
export interface Database {
  readonly driver: "pglite" | "postgres";
  /** Runs queries outside transactions. Throws inside one: see `assertOutsideTransaction`. */
  readonly db: Queryable;
  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** How busy the pool of connections is; undefined for the embedded database, which has none. */
  readonly pool: () => PoolState | undefined;
  /** Resolves once the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const scope = new AsyncLocalStorage<{ open: boolean }>();

/** Runs `work` so that use of the plain database inside it is found out. */
export async function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  const state = { open: true };
  try {
    return await scope.run(state, work);
  } finally {
    state.open = false;
  }
}

/**
 * Throws inside a transaction. PGlite has one connection, which a query beside the transaction
 * would wait for for ever; on a pool, enough of the same mistake blocks every connection.
 */
export function assertOutsideTransaction(): void {
  if (scope.getStore()?.open) {
    throw new Error("The database was used inside a transaction: use the transaction instead");
  }
}
