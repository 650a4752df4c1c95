import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Entry } from "../entry.ts";

/** Commands on the machine of a server, which open the database. */
export const serverEntries: readonly Entry[] = [
  { command: "migrate", opens: "database" },
  { command: "keys bootstrap", opens: "database", showsSecret: true },
  { command: "database url", opens: "database" },
  { command: "export", args: ["export.jsonl"], opens: "database" },
];
void writeFile;
void path;
