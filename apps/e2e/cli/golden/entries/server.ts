import { appendFile } from "node:fs/promises";
import path from "node:path";
import { exportDatabase, openPostgres } from "@parley/db";
import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

/** An export of an empty database. */
async function writeExport({ home, databaseUrl: url }: World): Promise<void> {
  const database = await openPostgres({ url, poolSize: 1 });
  await exportDatabase(database, async (lines) =>
    appendFile(path.join(home, "export.jsonl"), lines),
  );
  await database.close();
}

const database = { opens: "database" } as const;
const serving = {
  ...database,
  settings: { PARLEY_PORT: "0", PARLEY_SHUTDOWN_DELAY_MS: "0" },
} as const;

/** What is found of the machine itself differs. */
const machine =
  /^(?:ok|warn|fail) +(node|disk|temporary disk|sandbox|memory|file descriptors|programs): .*(?:\n {5}cure: .*)?/gm;

/** Commands on the machine of a server, which open the database. */
export const serverEntries: readonly Entry[] = [
  { command: "serve", ...serving, until: /Keys: .* first one/ },
  { command: "api", ...serving, until: /Keys: .* first one/ },
  { command: "worker", ...serving, until: /Worker started/ },
  { command: "migrate", ...database },
  { command: "keys bootstrap", ...database, showsSecret: true },
  {
    command: "database url",
    ...database,
    varying: [
      [/postgres:\/\/\w+@/g, "postgres://USER@"],
      [/parley_test_[\da-f]{12}/g, "DATABASE"],
    ],
  },
  { command: "export", ...database, args: ["export.jsonl"] },
  { command: "import", ...database, prepare: writeExport, args: ["export.jsonl"] },
  {
    command: "doctor",
    settings: { PARLEY_PORT: "0" },
    varying: [
      [machine, "MACHINE"],
      [/\d+ with warnings/g, "N with warnings"],
    ],
  },
  { command: "help", args: ["spaces", "create"], opens: "nothing" },
  { command: "completion", args: ["bash"], opens: "nothing" },
  { command: "complete", args: ["--", "tools", "re"], opens: "nothing" },
];
