import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { root, type Server } from "../server.ts";
import { builtFile, compileCache } from "../programs.ts";
import type { Block } from "./blocks.ts";
import { linkClient } from "./bundled-client.ts";

/** Less than a test may take, so that a page that hangs says where. */
const PAGE_MS = 280_000;

/** Where Python itself is: what is called so may be a script that looks for it, in more time than most blocks take. */
const python = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
});

/** Whether this machine has what runs blocks of Python. */
export const hasPython = python.error === undefined;

interface Failure {
  readonly killed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the blocks of a page one after the other, in one shell, beside a server: in a folder whose
 * `.parley` is the server's, with `parley` as a command, and with what pages call `URL`, `W` and `KEY`
 * (an admin's). Code runs as a module of its own. Gives what each block printed; throws when one fails.
 */
export async function runPage(
  blocks: readonly Block[],
  { demo, place }: Server,
): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-page-"));
  try {
    await symlink(place.directory, path.join(folder, ".parley"));
    await symlink(path.join(root, "apps/e2e/node_modules"), path.join(folder, "node_modules"));
    await linkClient(path.join(folder, ".blocks"));
    const script = [
      'unset DATABASE_URL REDIS_URL "${!PARLEY_@}"',
      `export NODE_COMPILE_CACHE='${compileCache().NODE_COMPILE_CACHE}'`,
      'export XDG_CONFIG_HOME="$PWD/.config"',
      `export URL='${demo.url}' W='${demo.workspaceId}' KEY='${demo.adminKey}'`,
      `parley() { ${quote(process.execPath, builtFile("parley.js"))} "$@"; }`,
    ];
    for (const [index, { language, text }] of blocks.entries()) {
      script.push(`echo; echo '== ${index}'`);
      if (language === "sh") script.push(text);
      else {
        const isPython = language === "python";
        const file = path.join(folder, `.blocks/${index}.${isPython ? "py" : "mts"}`);
        await writeFile(file, text);
        script.push(quote(isPython ? python.stdout.trim() : process.execPath, file));
      }
    }
    const bash = ["--norc", "-euc", script.join("\n")];
    const shell = promisify(execFile)("bash", bash, { cwd: folder, timeout: PAGE_MS });
    const { stdout } = await shell.catch((error: Failure) => {
      const printed = splitOutput(error.stdout);
      const { line } = blocks[printed.length - 1] ?? {};
      const how = error.killed ? `was not done when the page had run for ${PAGE_MS} ms` : "failed";
      throw new Error(`The block at line ${line} ${how}: ${error.stderr}${printed.at(-1)}`);
    });
    return splitOutput(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const splitOutput = (stdout: string) => stdout.split(/\n== \d+\n/).slice(1);

const quote = (...words: string[]) => words.map((word) => `'${word}'`).join(" ");
