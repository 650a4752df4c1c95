import { inspectPrograms } from "@parley/db";
import { type Finding, ok, warn } from "./finding.ts";
import { ANSWER_MS, type Surroundings } from "./surroundings.ts";

const WHAT = "data directory";

/** The data directory of the embedded database: who may use it, and who does. */
export async function checkDirectory(around: Surroundings): Promise<readonly Finding[]> {
  if (!around.isEmbedded) return [];
  const { PARLEY_DATA_DIR: directory } = around.settings;
  const { exists, isOpen, holder, hasDatabase } = await around.directory();
  if (!exists) return [ok(WHAT, `${directory} is not there; the first start creates it`)];
  const state = holder === undefined ? "no server runs on it" : `in use by ${holder}`;
  const content = hasDatabase ? "it holds a database" : "it holds no database yet";
  const finding = `${directory} may be written to, ${content}, ${state}`;
  if (!isOpen) return [ok(WHAT, finding)];
  return [warn(WHAT, `${finding}; other users can enter it`, `chmod 700 ${directory}`)];
}

/** The programs of the embedded database. */
export async function checkPrograms({ isEmbedded }: Surroundings): Promise<readonly Finding[]> {
  if (!isEmbedded) return [];
  const version = await inspectPrograms({ timeoutMs: ANSWER_MS });
  return [ok("embedded database", `PostgreSQL ${version} for this platform is installed`)];
}
