import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import {
  assertOutsideTransaction,
  type Database,
  insideTransaction,
  type Queryable,
} from "./database.ts";
import { maintainPostgres } from "./maintenance.ts";
import { migratePostgres } from "./migrate.ts";
import { requireSessions, requireSettings, UnfitSession } from "./sessions.ts";
import { isDatabaseBusy, READ_ONLY, SILENT } from "./unavailable.ts";

// Without the schema of the tables: relational queries are not used, and each connection would parse it.
const drizzleOptions = { casing: "snake_case" } as const;

// PostgreSQL's bigint: every number that Parley stores is within 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

// Statements are planned once per connection, often while their tables are empty: a sequential scan
// would stay, and get slower with every row. Every query has an index, so the planner must use it
// (docs/decisions/indexes-always.md).
const planner = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" };

// To look for a word in a stored value reads all of its words, which may be a hundred blocks: the planner
// takes it for a comparison of two numbers, and would look through all rows of a small table.
const searchPlanner = { ...planner, cpu_operator_cost: "1" };

interface ReadOnlyRow {
  readonly setting: string;
}

/** A standby's transactions are read-only too. */
const readOnlyQuery = "select current_setting('transaction_read_only') as setting";

function refuseReadOnly([row]: readonly ReadOnlyRow[]): void {
  if (row?.setting !== "on") return;
  throw Object.assign(new Error("The database is read-only"), { code: READ_ONLY });
}

/** The same function; it throws inside a transaction. */
function outsideTransaction<F extends (...args: never[]) => unknown>(method: F): F {
  return new Proxy(method, {
    apply: (target, self, args) => {
      assertOutsideTransaction();
      return Reflect.apply(target, self, args);
    },
  });
}

const WAIT_MS = 10_000;
const POOL_SIZE = 16;
/** Timeout of a statement on the server, so that a request is answered within ten seconds. */
const STATEMENT_MS = 7000;
/**
 * Extra time for the server's own timeout to arrive. Only a dead connection does not deliver it by
 * then.
 */
const ANSWER_MS = 500;
/** The timeout of statements over many rows that no request waits for. */
const SLOW_STATEMENT_MS = 120_000;
const SLOW_CONNECTIONS = 2;
/** The timeout of a search, and how many of them run at once. */
const SEARCH_MS = 1000;
const SEARCH_CONNECTIONS = 4;
/** A migration may build an index of a large table, or wait for another replica that does. */
const MIGRATION_MS = 3_600_000;
/** How long the locks of a transaction outlive a client that is gone. */
const IDLE_IN_TRANSACTION_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;
/** How long a server that seems busy may take to accept a connection. */
const LOOK_MS = 2000;

export interface PostgresOptions {
  readonly url: string;
  /** Connections of the pool. */
  readonly poolSize?: number;
  /** How long a query may wait for a connection. */
  readonly waitMs?: number;
  /** Called before older tables are brought up to date, with how many migrations they lack. */
  readonly onMigrating?: (missing: number) => void;
  /** Called with the errors of connections, as when the server restarts. */
  readonly onError?: (error: Error) => void;
}

/** Opens PostgreSQL and brings its tables up to date. Throws when it cannot be reached. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const pool = openPool(options, STATEMENT_MS);
  // Its connections are opened on demand and closed soon after.
  const slowPool = openPool({ ...options, poolSize: SLOW_CONNECTIONS }, SLOW_STATEMENT_MS);
  const searchPool = openPool(
    { ...options, poolSize: SEARCH_CONNECTIONS },
    SEARCH_MS,
    searchPlanner,
  );
  const pools = [pool, slowPool, searchPool];
  const close = async (): Promise<void> => void (await Promise.all(pools.map((one) => one.end())));
  const { waitMs = WAIT_MS } = options;
  // A dead connection would block the caller.
  const ping = { text: readOnlyQuery, query_timeout: waitMs };
  const migrating = openPool({ ...options, poolSize: 1 }, MIGRATION_MS);
  try {
    await requireOwnSessions(options.url, waitMs);
    await migratePostgres(migrating, options.onMigrating);
  } catch (error) {
    await close();
    throw error;
  } finally {
    await migrating.end();
  }
  return {
    ...queriesOf(pool),
    connections: options.poolSize ?? POOL_SIZE,
    slow: queriesOf(slowPool),
    searches: { db: drizzle(searchPool, drizzleOptions), connections: SEARCH_CONNECTIONS },
    maintain: (signal, work) => maintainPostgres(options.url, signal, work),
    pool: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    ping: async () => refuseReadOnly((await pool.query<ReadOnlyRow>(ping)).rows),
    close,
  };
}

/**
 * Why the connections of a URL are not the sessions that Parley needs, as behind some poolers; undefined if
 * they are. Throws if it cannot be reached.
 */
export async function findUnfitSession(
  url: string,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<UnfitSession | undefined> {
  const pool = openPool({ url, poolSize: 1, waitMs: timeoutMs }, STATEMENT_MS);
  try {
    await requireOwnSessions(url, timeoutMs);
    await pool.query("select 1");
    return undefined;
  } catch (error) {
    if (error instanceof UnfitSession) return error;
    throw error;
  } finally {
    await pool.end();
  }
}

/** Throws `UnfitSession` if two connections are not two sessions that last. */
async function requireOwnSessions(url: string, timeoutMs: number): Promise<void> {
  const config = {
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: "parley",
  };
  const clients = [new pg.Client(config), new pg.Client(config)] as const;
  const [first, second] = clients;
  // A connection that breaks fails the query that runs.
  for (const client of clients) client.on("error", () => {});
  try {
    await first.connect();
    await second.connect();
    await requireSessions(first, second);
  } finally {
    for (const client of clients) client.end().catch(() => {});
  }
}

function openPool(
  { url, poolSize = POOL_SIZE, waitMs = WAIT_MS, onError = () => {} }: PostgresOptions,
  statementMs: number,
  settings: Readonly<Record<string, string>> = planner,
): pg.Pool {
  const asked = { ...settings, jit: "off" };
  // The pool waits for its promise; the type of `onConnect` allows none.
  const check = (client: pg.ClientBase): unknown =>
    requireSettings(client, {
      ...asked,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    });
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    query_timeout: statementMs + ANSWER_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: "parley",
    options: Object.entries(asked)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    onConnect: check,
  });
  // The pool listens to idle connections only; an error between two queries of a transaction would end
  // the process.
  pool.on("connect", (client) => {
    // A server that stops with the pool cuts connections that are being closed.
    client.on("error", (error) => void (pool.ending || onError(error)));
  });
  pool.on("error", () => {});
  // `pool.query` calls it too.
  pool.connect = outsideTransaction(explainingSilence(pool, url));
  return pool;
}

/**
 * The pool's `connect`, which explains a timeout: a database that accepts no new connection either is not
 * busy, but silent.
 */
function explainingSilence(pool: pg.Pool, url: string): pg.Pool["connect"] {
  const connect = pool.connect.bind(pool);
  let looking: Promise<boolean> | undefined;
  const look = async (): Promise<boolean> => {
    try {
      return await isSilent(url);
    } finally {
      looking = undefined;
    }
  };
  const explain = async (error: Error): Promise<Error> => {
    if (!isDatabaseBusy(error)) return error;
    looking ??= look();
    return (await looking) ? new Error(SILENT) : error;
  };
  const connectOrExplain = async (): Promise<pg.PoolClient> => {
    try {
      return await connect();
    } catch (error) {
      // The pool throws nothing else.
      throw await explain(error as Error);
    }
  };
  type ConnectCallback = Parameters<typeof pool.connect>[0];
  const explainTo = async (
    callback: ConnectCallback,
    ...[error, client, release]: Parameters<ConnectCallback>
  ) => callback(error && (await explain(error)), client, release);
  // The pool's own queries pass a callback.
  return ((callback?: ConnectCallback) => {
    if (callback === undefined) return connectOrExplain();
    return connect((...answer) => {
      if (answer[0] === undefined) callback(...answer);
      else void explainTo(callback, ...answer);
    });
  }) as typeof pool.connect;
}

/** Whether a server is gone, or does not answer a new connection. */
async function isSilent(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: LOOK_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    return false;
  } catch (error) {
    // A refusal for lack of connections is an answer.
    return !(error instanceof pg.DatabaseError);
  } finally {
    client.end().catch(() => {});
  }
}

// Drizzle's own transaction never releases a connection whose `begin` fails, and after an unanswered
// statement it waits again for the answer to its `rollback`.
function queriesOf(pool: pg.Pool): Pick<Database, "db" | "transaction"> {
  const ofClients = new WeakMap<pg.PoolClient, Queryable>();
  pool.on("connect", (client) => void ofClients.set(client, drizzle(client, drizzleOptions)));
  return {
    db: drizzle(pool, drizzleOptions),
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        // Every client of the pool was connected.
        const result = await insideTransaction(() => work(ofClients.get(client)!));
        await client.query("commit");
        client.release();
        return result;
      } catch (error) {
        if (isUnanswered(error)) client.release(true);
        else await client.query("rollback").then(() => client.release(), client.release);
        throw error;
      }
    },
  };
}

/** Whether the last statement of a connection has no answer yet: no other can be sent after it. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === "Query read timeout" || isUnanswered(error.cause);
}
