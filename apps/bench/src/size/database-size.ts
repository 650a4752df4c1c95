import { statfs } from "node:fs/promises";
import type pg from "pg";
import type { ConversationSeed } from "../seed/seed-conversations.ts";

/** What a database holds: ten events for each conversation of a question and its answer. */
export interface DatabaseSize extends ConversationSeed {
  readonly name: "small" | "big";
  /** Beside the demo's. */
  readonly workspaces: number;
  /** Space for the database, its indexes and the log of the writing. */
  readonly diskBytes: number;
}

const GIB = 2 ** 30;
const tenEvents = { messages: 2, tokens: 6 } as const;

export const small: DatabaseSize = {
  ...tenEvents,
  name: "small",
  conversations: 1000,
  workspaces: 0,
  diskBytes: 0,
};
export const big: DatabaseSize = {
  ...tenEvents,
  name: "big",
  conversations: 1_000_000,
  workspaces: 999,
  diskBytes: 12 * GIB,
};
export const quickBig: DatabaseSize = {
  ...big,
  conversations: 100_000,
  workspaces: 99,
  diskBytes: 2 * GIB,
};

/** Throws where the disk of the server has no room for the database, as far as that can be known. */
export async function requireDisk(client: pg.Client, { diskBytes }: DatabaseSize): Promise<void> {
  const directory = await findDataDirectory(client);
  if (directory === undefined) return;
  // A server elsewhere has a directory that is not here.
  const disk = await statfs(directory).catch(() => undefined);
  if (disk === undefined || disk.bavail * disk.bsize >= diskBytes) return;
  const free = ((disk.bavail * disk.bsize) / GIB).toFixed(1);
  throw new Error(`${diskBytes / GIB} GiB must be free for the database: ${directory} has ${free}`);
}

/** Only privileged accounts are told. */
async function findDataDirectory(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ setting: string }>(
    "select setting from pg_settings where name = 'data_directory'",
  );
  return rows[0]?.setting;
}
