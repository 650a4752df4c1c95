import { apiKeys, rotatedSecrets, sessions, statement, userTokens } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

/** Hashes that one statement looks up. */
const MAX_TOGETHER = 1000;

/**
 * Returns a function that says whether any credential with a hash is stored. One statement runs at a time,
 * for all that were asked for in the meantime: a flood of unknown credentials takes one connection, and a valid
 * credential waits for two statements at most.
 */
export function createStoredHashes({ database }: Pick<Process, "database">) {
  let waiting = new Map<string, PromiseWithResolvers<boolean>>();
  let isRunning = false;

  const lookUp = async (asked: ReadonlyMap<string, PromiseWithResolvers<boolean>>) => {
    try {
      const found = await findStored(database, [...asked.keys()]);
      for (const [hash, { resolve }] of asked) resolve(found.has(hash));
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.size > 0) {
      const entries = [...waiting];
      waiting = new Map(entries.slice(MAX_TOGETHER));
      await lookUp(new Map(entries.slice(0, MAX_TOGETHER)));
    }
    isRunning = false;
  };
  return (hash: string): Promise<boolean> => {
    const { promise } = waiting.getOrInsertComputed(hash, () => Promise.withResolvers<boolean>());
    if (!isRunning) void run();
    return promise;
  };
}

const tables = [apiKeys, rotatedSecrets, userTokens, sessions];
const storedStatement = statement<{ hashes: string[] }, { hash: string }>(
  "find_stored_hashes",
  sql.join(
    tables.map(
      (table) =>
        sql`select hash from ${table} where hash = any(${sql.placeholder("hashes")}::text[])`,
    ),
    sql` union all `,
  ),
);

async function findStored(
  { db }: Process["database"],
  hashes: string[],
): Promise<ReadonlySet<string>> {
  const rows = await storedStatement.execute(db, { hashes });
  return new Set(rows.map(({ hash }) => hash));
}
