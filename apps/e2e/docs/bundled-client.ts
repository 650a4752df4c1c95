import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { evaluateTables } from "parley-client/evaluate-tables";
import { build } from "rolldown";
import { builtFile } from "../programs.ts";
import { root } from "../server.ts";

let bundled: Promise<string> | undefined;

/**
 * Gives programs of a folder the client as users have it, bundled once for a run: a program loads it in a third of
 * the time that its sources take. It is removed with the build of the server.
 */
export async function linkClient(folder: string): Promise<void> {
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  await symlink(await (bundled ??= bundle()), path.join(folder, "node_modules/parley-client"));
}

async function bundle(): Promise<string> {
  const dir = path.resolve(path.dirname(builtFile("parley.js")), "../client");
  const entries = ["index", "react", "ai-sdk"].map((name) => [name, `src/${name}.ts`]);
  await build({
    cwd: path.join(root, "packages/client"),
    input: Object.fromEntries(entries) as Record<string, string>,
    platform: "node",
    resolve: { conditionNames: ["@parley/source", "node", "import"] },
    external: /^(?:ai|react|zod)(?:\/|$)/,
    output: { dir },
    plugins: [evaluateTables],
    logLevel: "warn",
  });
  const exports = { ".": "./index.js", "./*": "./*.js" };
  await writeFile(path.join(dir, "package.json"), JSON.stringify({ type: "module", exports }));
  return dir;
}
