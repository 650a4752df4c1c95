import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Boundary } from "./contract.ts";
import { entryFile } from "./entry-file.ts";
import type { User } from "./other-user.ts";
import { limitCommand } from "./processes/limit-command.ts";

/** How children are started. */
export interface Confinement {
  readonly boundary: Boundary;
  readonly command: string;
  readonly arguments: readonly string[];
  /** The user that children become; undefined for that of this process. */
  readonly user: User | undefined;
}

/** How children are started with each boundary, as another user if one is given. */
export function describeConfinements(user?: User): Record<Boundary, Confinement> {
  const entry = entryFile("sandbox-child");
  const readable = readablePaths(entry);
  const node = [process.execPath, ...nodeArguments(entry, readable)];
  const wrapped = [...wrapArguments(readable), ...node];
  return {
    namespace: { boundary: "namespace", command: "bwrap", arguments: wrapped, user },
    // The namespace ends with its parent; this process could outlive it.
    process: { boundary: "process", ...limitCommand({ cpuS: LIFETIME_CPU_S }, node), user },
  };
}

/** Processor time of a child in all of its life; the sandbox replaces it earlier. */
export const LIFETIME_CPU_S = 1200;

const packages = [
  "quickjs-emscripten-core",
  "@jitl/quickjs-ng-wasmfile-release-sync",
  "@jitl/quickjs-ffi-types",
];

/** What a child reads: its own code, and its packages wherever they may be found or linked to. */
function readablePaths(entry: string): string[] {
  const { resolve } = createRequire(entry);
  const lookedAt = packages.flatMap((name) =>
    (resolve.paths(name) ?? []).map((folder) => path.join(folder, name)),
  );
  const real = realPaths(lookedAt);
  // Those of pnpm have their own dependencies beside them, as links.
  const beside = real.flatMap((folder) => packages.map((name) => besideOf(folder, name)));
  return [...new Set([path.dirname(entry), ...lookedAt, ...real, ...beside, ...realPaths(beside)])];
}

const realPaths = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) => (existsSync(folder) ? [realpathSync(folder)] : []));

function besideOf(folder: string, name: string): string {
  const at = folder.lastIndexOf(`${path.sep}node_modules${path.sep}`);
  return path.join(folder.slice(0, at), "node_modules", name);
}

function nodeArguments(entry: string, readable: readonly string[]): string[] {
  return [
    "--permission",
    ...readable.map((folder) => `--allow-fs-read=${folder}${path.sep}*`),
    "--max-old-space-size=64",
    "--max-semi-space-size=1",
    "--disable-proto=delete",
    "--expose-gc",
    "--no-warnings",
    entry,
  ];
}

function wrapArguments(readable: readonly string[]): string[] {
  const system = ["/usr", "/lib", "/lib64", "/etc/alternatives"];
  return [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    ...system.flatMap((folder) => ["--ro-bind-try", folder, folder]),
    ...[path.dirname(process.execPath), ...readable]
      .filter((one) => !system.some((folder) => one.startsWith(folder + path.sep)))
      .flatMap(mountArguments),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--chdir",
    "/",
    "--",
  ];
}

/**
 * Links stay links: a package is found beside the real folder of whoever imports it. What is not there is left out,
 * since another user may not even see that.
 */
function mountArguments(one: string): string[] {
  const found = lstatSync(one, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink()
    ? ["--symlink", readlinkSync(one), one]
    : ["--ro-bind-try", one, one];
}
