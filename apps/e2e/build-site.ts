import { execFile } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const folder = path.resolve(import.meta.dirname, "../site");

/** What the site is built from: the documents, and its own files. */
const SOURCES = ["../../{README.md,llms.txt}", "../../docs/**", "*.ts", "package.json", "src/**"];

/** Builds the documentation if it was not built since its sources changed, beside a build of the server. */
export async function ensureSite(build: string): Promise<void> {
  const builtAt = changedAt("dist/index.html.gz");
  if (globSync(SOURCES, { cwd: folder }).some((file) => changedAt(file) > builtAt)) {
    // Vitest has set what Astro takes for its own: BASE_URL, MODE and others.
    const command = `env -i PATH="$PATH" HOME="$HOME" NODE_ENV=production ASTRO_TELEMETRY_DISABLED=1 sh -c \
      '"$0" prepare.ts && "$0" node_modules/astro/bin/astro.mjs build' "$0"`;
    await promisify(execFile)("sh", ["-c", command, process.execPath], { cwd: folder });
  }
  const served = path.join(build, "bin/site");
  await cp(path.join(folder, "dist"), `${served}.new`, { recursive: true });
  await rm(served, { recursive: true, force: true });
  await rename(`${served}.new`, served);
}

/** When a file was written, 0 if there is none; folders count as old. */
function changedAt(file: string): number {
  const stat = statSync(path.join(folder, file), { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.mtimeMs : 0;
}
