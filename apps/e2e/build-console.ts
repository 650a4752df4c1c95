import { execFile } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const folder = path.resolve(import.meta.dirname, "../console");

/** What the console is built from: its own files, the client, and what the client takes from the schemas. */
const SOURCES = [
  "{src,public}/**",
  "{index.html,package.json,vite.config.ts}",
  "../../packages/{client,schema}/src/**",
  "../../packages/client/evaluate-tables.ts",
];

/** Builds the console if it was not built since its sources changed: runs that Turbo starts find it built. */
export async function ensureConsole(): Promise<void> {
  const builtAt = changedAt("dist/index.html");
  if (globSync(SOURCES, { cwd: folder }).every((file) => changedAt(file) <= builtAt)) return;
  process.stdout.write("Building the console\n");
  const { scripts } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    scripts: { build: string };
  };
  // Vitest has set NODE_ENV to what React takes for development.
  const command = `NODE_ENV=production exec "$0" ${scripts.build.replace(/^node /, "")}`;
  await promisify(execFile)("sh", ["-c", command, process.execPath], { cwd: folder });
}

/** When a file was written, 0 if there is none; folders count as old. */
function changedAt(file: string): number {
  const stat = statSync(path.join(folder, file), { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.mtimeMs : 0;
}
