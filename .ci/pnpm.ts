import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const root = path.resolve(import.meta.dirname, "..");

/** Runs the pnpm that the workspace names, and gives what it prints; throws that where it fails. */
export async function pnpm(cwd: string, ...args: readonly string[]): Promise<string> {
  const manifest = readFileSync(path.join(root, "package.json"), "utf8");
  const { packageManager } = JSON.parse(manifest) as { packageManager: string };
  const [file = "", ...before] = findRunning(packageManager) ?? ["npx", "-y", packageManager];
  return runIn(cwd, file, [...before, ...args]);
}

/** The pnpm that this process's script was started by, if it is that of the workspace: npx takes a hundred times as long. */
function findRunning(packageManager: string): string[] | undefined {
  const { npm_execpath: file = "", npm_config_user_agent: agent = "" } = process.env;
  if (file === "" || !agent.startsWith(`${packageManager.replace("@", "/")} `)) return undefined;
  return /\.[cm]?js$/.test(file) ? [process.execPath, file] : [file];
}

/** Runs a command in a folder and gives what it prints; throws that where it fails. */
export async function runIn(cwd: string, file: string, args: readonly string[]): Promise<string> {
  const options = { cwd, timeout: 250_000, maxBuffer: 2 ** 26 };
  const output = await promisify(execFile)(file, args, options).catch(
    (error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${file} failed: ${error.message}\n${error.stdout}${error.stderr}`);
    },
  );
  return output.stdout;
}
