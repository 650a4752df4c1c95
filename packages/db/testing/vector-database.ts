import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { type Database, insideTransaction } from "../src/database.ts";
import { migratePostgres } from "../src/migrate.ts";
import { findFreePort } from "./cluster.ts";

/** As searches have, so that plans are those of searches. */
const SETTINGS = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" };

/**
 * Opens a migrated database that has the extension `vector`, not created yet: PostgreSQL as WebAssembly in this process. It
 * has one session, so nothing runs at once, and its times say nothing.
 */
export async function openVectorDatabase(): Promise<Database> {
  const lite = await PGlite.create({ extensions: { vector } });
  const port = await findFreePort();
  const server = new PGLiteSocketServer({ db: lite, port });
  await server.start();
  const pool = new pg.Pool({
    host: "127.0.0.1",
    port,
    user: "postgres",
    database: "postgres",
    max: 1,
  });
  const db = drizzle(pool, { casing: "snake_case" });
  await migratePostgres(pool);
  for (const [name, value] of Object.entries({ ...SETTINGS, cpu_operator_cost: "1", jit: "off" })) {
    await pool.query("select set_config($1, $2, false)", [name, value]);
  }
  const transaction: Database["transaction"] = async (work) => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      const result = await insideTransaction(() => work(drizzle(client, { casing: "snake_case" })));
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  };
  const own = { db, transaction };
  return {
    ...own,
    connections: 1,
    slow: own,
    searches: { db, connections: 1 },
    maintain: (signal, work) => {
      signal.throwIfAborted();
      return work(db);
    },
    pool: () => ({ inUse: 0, idle: 1, waiting: 0 }),
    ping: async () => {},
    close: async () => {
      await pool.end();
      await server.stop();
      await lite.close();
    },
  };
}
