// `pnpm release --dry-run` packs what users install by name and tests the tarballs outside of the workspace.
// `pnpm release` also publishes them: from CI, with the registry's token.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { pnpm, runIn } from "./pnpm.ts";
import { published, RELEASE_VARIABLE, releaseFolder, tarballOf } from "./published.ts";
import { runFiles } from "./run-tests.ts";
import { packStep, runStep, say } from "./steps.ts";

const root = path.resolve(import.meta.dirname, "..");
const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });

interface Manifest {
  readonly version: string;
  readonly repository?: unknown;
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8")) as Manifest;

/** Why nothing can be published from here. */
async function findObstacles(): Promise<string[]> {
  const { CI, NODE_AUTH_TOKEN } = process.env;
  const changed = await runIn(root, "git", ["status", "--porcelain"]);
  const waiting = await runIn(root, "git", [
    "ls-files",
    ".changeset/*.md",
    ":!.changeset/README.md",
  ]);
  const versions = new Set(published.map(({ folder }) => manifestOf(folder).version));
  const homeless = published.filter(({ folder }) => manifestOf(folder).repository === undefined);
  return [
    CI === undefined ? "a release is published from CI alone: use --dry-run" : "",
    NODE_AUTH_TOKEN === undefined ? "NODE_AUTH_TOKEN is not set" : "",
    changed === "" ? "" : "the working tree has changes that are not committed",
    waiting === "" ? "" : `changesets wait: pnpm changeset version (${waiting.trim()})`,
    versions.size === 1 ? "" : "the packages have different versions",
    homeless.length === 0
      ? ""
      : "provenance names a public repository: set repository in package.json of " +
        homeless.map(({ folder }) => folder).join(" and "),
  ].filter((why) => why !== "");
}

async function packAndTest(): Promise<boolean> {
  if (!(await runStep(packStep))) return false;
  process.env[RELEASE_VARIABLE] = "1";
  return runFiles(["apps/e2e/packaging/"], "full");
}

/** Publishes what is not published yet, so that a release which failed half-way can be run again. */
async function publish(): Promise<void> {
  for (const one of published) {
    const { version } = manifestOf(one.folder);
    const found = await pnpm(root, "view", `${one.name}@${version}`, "version").catch(() => "");
    if (found.trim() === version) {
      say(`${one.name} ${version} is published already`);
      continue;
    }
    const options = ["--no-git-checks", "--access", "public", "--provenance"];
    await pnpm(root, "publish", tarballOf(one, version), ...options);
    say(`${one.name} ${version} is published`);
  }
}

async function release(): Promise<boolean> {
  const obstacles = values["dry-run"] ? [] : await findObstacles();
  for (const why of obstacles) say(`✗ ${why}`);
  if (obstacles.length > 0 || !(await packAndTest())) return false;
  if (!values["dry-run"]) await publish();
  say(`${values["dry-run"] ? "Nothing was published" : "Published"}: ${releaseFolder}`);
  return true;
}

process.exitCode = (await release()) ? 0 : 1;
