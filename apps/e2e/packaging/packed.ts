import { spawnSync } from "node:child_process";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { pnpm, runIn } from "../../../.ci/pnpm.ts";
import { type Published, published, isReleasePacked, tarballOf } from "../../../.ci/published.ts";
import { isRunning } from "../build-server.ts";
import { eventually, root } from "../server.ts";
import { compilerOptions } from "./users.ts";

/** A folder outside of the workspace, gone when it is disposed of. */
export interface Folder extends AsyncDisposable {
  readonly path: string;
  readonly write: (file: string, text: string) => Promise<void>;
  /** Runs a command in the folder and gives what it prints; throws that if it fails. */
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
    run: async (command, args) => runIn(folder, command, args),
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * The tarball of a package: that of the packed release; if a file of tests runs alone and there is none,
 * one that it packs.
 */
export async function pack(one: Published, into: Folder): Promise<string> {
  const directory = path.join(root, one.folder);
  if (isReleasePacked()) {
    const manifest = await readFile(path.join(directory, "package.json"), "utf8");
    return tarballOf(one, (JSON.parse(manifest) as { version: string }).version);
  }
  return alone(async () => {
    const output = await pnpm(directory, "pack", "--json", "--pack-destination", into.path);
    const json = output.slice(output.lastIndexOf("\n{") + 1);
    return (JSON.parse(json) as { filename: string }).filename;
  });
}

/** Packs one after the other, whichever process asks: each builds in the folder of its package. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const lock = path.join(root, "node_modules/.cache/parley-packing");
  await mkdir(path.dirname(lock), { recursive: true });
  await eventually(async () => {
    const isMine = await symlink(String(process.pid), lock).then(
      () => true,
      () => false,
    );
    if (isMine) return { value: true };
    const holder = await readlink(lock).catch(() => "");
    if (holder !== "" && !isRunning(Number(holder))) await rm(lock, { force: true });
    return {};
  }, 200_000);
  try {
    return await work();
  } finally {
    await rm(lock);
  }
}

/** Installs a tarball and other packages, with what they depend on, in a folder that has nothing. */
export async function install(into: Folder, ...packages: string[]): Promise<void> {
  await into.write("package.json", JSON.stringify({ private: true, type: "module" }));
  await pnpm(into.path, "add", "--prefer-offline", "--ignore-scripts", ...packages);
}

/** The main file of a compiler that the workspace has under this name. */
export const compilerAt = (name: string): string =>
  path.join(root, `apps/e2e/node_modules/${name}/bin/tsc`);

/** Compiles files of a folder as careful users do; throws what is wrong with them. */
export async function compile(
  within: Folder,
  files: readonly string[],
  more: object = {},
): Promise<string> {
  const config = { compilerOptions: { ...compilerOptions, ...more }, files };
  await within.write("tsconfig.json", JSON.stringify(config));
  return within.run(process.execPath, [compilerAt("typescript"), "-p", "."]);
}

/** What users install by this name. */
export function publishedAs(name: string): Published {
  const found = published.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not published`);
  return found;
}

/** The names of the packages that pnpm has installed in a folder. */
export async function installedIn({ path: folder }: Folder): Promise<string[]> {
  const names = await readdir(path.join(folder, "node_modules/.pnpm"));
  return names
    .filter((name) => /.@/.test(name))
    .map((name) => name.slice(0, name.indexOf("@", 1)).replace("+", "/"));
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
