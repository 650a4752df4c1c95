import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { root } from "../server.ts";

const execute = promisify(execFile);

/** A folder outside of the workspace, gone when it is disposed of. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
  readonly write: (file: string, text: string) => Promise<void>;
  /** Runs a command in the folder and gives what it prints; throws that where it fails. */
  readonly run: (command: string, args: readonly string[]) => Promise<string>;
}

export async function createFolder(): Promise<Folder> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-packed-"));
  return {
    path: folder,
    write: async (file, text) => {
      const place = path.join(folder, file);
      await mkdir(path.dirname(place), { recursive: true });
      await writeFile(place, text);
    },
    run: async (command, args) => run(folder, command, args),
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
}

async function run(cwd: string, command: string, args: readonly string[]): Promise<string> {
  const options = { cwd, timeout: 250_000, maxBuffer: 2 ** 24 };
  const output = await execute(command, args, options).catch(
    (error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${command} failed: ${error.message}\n${error.stdout}${error.stderr}`);
    },
  );
  return output.stdout;
}

/** The pnpm of the workspace, as its package.json names it. */
async function pnpm(cwd: string, ...args: string[]): Promise<string> {
  const manifest = await readFile(path.join(root, "package.json"), "utf8");
  const { packageManager } = JSON.parse(manifest) as { packageManager: string };
  return run(cwd, "npx", ["-y", packageManager, ...args]);
}

/** Builds and packs a package of the workspace; gives the tarball's path. */
export async function pack(folder: string, into: Folder): Promise<string> {
  const directory = path.join(root, folder);
  const output = await pnpm(directory, "pack", "--json", "--pack-destination", into.path);
  return (JSON.parse(output.slice(output.lastIndexOf("\n{") + 1)) as { filename: string }).filename;
}

/** Installs a tarball and other packages, with what they depend on, in a folder that has nothing. */
export async function install(into: Folder, ...packages: string[]): Promise<void> {
  await into.write("package.json", JSON.stringify({ private: true, type: "module" }));
  await pnpm(into.path, "add", "--prefer-offline", "--ignore-scripts", ...packages);
}

/** Packages in the versions that the workspace has. */
export async function catalogued(...names: string[]): Promise<string[]> {
  const text = await readFile(path.join(root, "pnpm-workspace.yaml"), "utf8");
  const { catalog } = parse(text) as { catalog: Record<string, string> };
  return names.map((name) => `${name}@${catalog[name]}`);
}

/** A Node that is not the workspace's own. */
interface OtherNode {
  readonly file: string;
  readonly major: number;
}

/** The Node that is installed beside the workspace, which is older than the workspace's own. */
export function systemNode(): OtherNode | undefined {
  const { stdout: found } = spawnSync("which", ["-a", "node"], { encoding: "utf8" });
  for (const file of found.trim().split("\n")) {
    if (file === "" || file.includes("node_modules")) continue;
    const { status, stdout } = spawnSync(file, ["--version"], { encoding: "utf8" });
    if (status === 0) return { file, major: Number.parseInt(stdout.slice(1), 10) };
  }
  return undefined;
}
