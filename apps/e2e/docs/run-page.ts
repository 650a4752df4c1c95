import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { root, type Server } from "../server.ts";
import { builtFile } from "../programs.ts";
import type { Block } from "./blocks.ts";

/** What Node has compiled: each block of code loads the client's sources. It is removed with the build. */
const compiled = path.resolve(path.dirname(builtFile("parley.js")), "../compiled");
/** Less than a test may take, so that a page that hangs says where. */
const PAGE_MS = 280_000;

/** Whether this machine has what runs blocks of Python. */
export const hasPython = spawnSync("python3", ["--version"]).error === undefined;

interface Failure {
  readonly killed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const node = [process.execPath, "--conditions=@parley/source"];

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
    await mkdir(path.join(folder, ".blocks"));
    const script = [
      'unset DATABASE_URL REDIS_URL "${!PARLEY_@}"',
      `export NODE_COMPILE_CACHE='${compiled}'`,
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
        script.push(quote(...(isPython ? ["python3"] : node), file));
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
