// `pnpm release --dry-run` packs what users install by name and tests the tarballs outside of the workspace.
// `pnpm release --registry <url>` also publishes them: from CI, with the registry's token. The URL is that of the
// registry of container images, which says the digest of the base image.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { BASE_IMAGE_VARIABLE, baseImageOf, resolveImage } from "./base-image.ts";
import { pnpm } from "./pnpm.ts";
import { published, RELEASE_VARIABLE, releaseFolder, tarballOf } from "./published.ts";
import { findObstacles, manifestOf } from "./release-obstacles.ts";
import { notesOf, tagOf } from "./release-notes.ts";
import { runFiles } from "./run-tests.ts";
import { packStep, runStep, say } from "./steps.ts";

const root = path.resolve(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, registry: { type: "string" } },
});

/** Finds the digest of the base image for what is packed. Why it has none, if it has none. */
async function findBaseImage(): Promise<string> {
  const { registry } = values;
  if (registry === undefined) {
    return "the base image has no digest: name the registry of its images with --registry <url>";
  }
  const image = baseImageOf(readFileSync(path.join(root, "Dockerfile"), "utf8"));
  try {
    process.env[BASE_IMAGE_VARIABLE] = await resolveImage(registry, image);
    return "";
  } catch (error) {
    return `the base image has no digest: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function packAndTest(): Promise<boolean> {
  if (!(await runStep(packStep))) return false;
  process.env[RELEASE_VARIABLE] = "1";
  return runFiles(["apps/e2e/packaging/"], "full");
}

/** Publishes what is not published yet, so that a release which failed half-way can be run again. */
async function publish(): Promise<void> {
  for (const one of published) {
    const { version } = manifestOf(root, one.folder);
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
  const isRehearsal = values["dry-run"];
  const obstacles = isRehearsal ? [] : await findObstacles(root, process.env);
  // A rehearsal needs no digest, but one that asks for it gets it or fails.
  const unpinned = isRehearsal && values.registry === undefined ? "" : await findBaseImage();
  if (unpinned !== "") obstacles.push(unpinned);
  for (const why of obstacles) say(`✗ ${why}`);
  if (obstacles.length > 0 || !(await packAndTest())) return false;
  const { version } = manifestOf(root, published[0]?.folder ?? "");
  const notes = notesOf(readFileSync(path.join(root, "CHANGELOG.md"), "utf8"), version);
  say(`\nTag: ${tagOf(version)}\n\n${notes}\n`);
  if (!isRehearsal) await publish();
  say(`${isRehearsal ? "Nothing was published" : "Published"}: ${releaseFolder}`);
  return true;
}

process.exitCode = (await release()) ? 0 : 1;
