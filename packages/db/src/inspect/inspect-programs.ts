import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { findPrograms, isThere, type Programs, readLinks } from "../embedded/programs.ts";
import { refuseMissingLibrary } from "../embedded/refusals.ts";

const run = promisify(execFile);

/**
 * The version of the embedded PostgreSQL, as its own program says it. Before the first start, when the links
 * between its libraries lack, it is that of its package. Throws `NoEmbeddedDatabase` if it cannot run.
 */
export async function inspectPrograms({
  timeoutMs,
}: {
  readonly timeoutMs: number;
}): Promise<string> {
  const programs = findPrograms();
  if (!(await isLinked(programs))) {
    const manifest = await readFile(path.join(programs.root, "../package.json"), "utf8");
    return (JSON.parse(manifest) as { version: string }).version;
  }
  try {
    const { stdout } = await run(programs.postgres, ["--version"], {
      timeout: timeoutMs,
      env: { LC_ALL: "C" },
    });
    return /\d[\w.]*/.exec(stdout)?.[0] ?? stdout.trim();
  } catch (error) {
    refuseMissingLibrary(error);
    throw error;
  }
}

async function isLinked(programs: Programs): Promise<boolean> {
  const links = await readLinks(programs);
  const found = await Promise.all(links.map(({ link }) => isThere(link)));
  return found.every(Boolean);
}
