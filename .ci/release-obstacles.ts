import { readFileSync } from "node:fs";
import path from "node:path";
import { findMissing } from "./nightly-parts.ts";
import { runIn } from "./pnpm.ts";
import { published } from "./published.ts";

interface Manifest {
  readonly version: string;
  readonly repository?: unknown;
  readonly releaseNotes?: string;
}

/** The manifest of a package of the workspace at a root. */
export const manifestOf = (root: string, folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8")) as Manifest;

/** Why nothing can be published from the clone at a root: a sentence for each reason. */
export async function findObstacles(
  root: string,
  { CI, NODE_AUTH_TOKEN }: NodeJS.ProcessEnv,
): Promise<string[]> {
  const changed = await runIn(root, "git", ["status", "--porcelain"]);
  const waiting = await runIn(root, "git", [
    "ls-files",
    ".changeset/*.md",
    ":!.changeset/README.md",
  ]);
  const tree = await runIn(root, "git", ["rev-parse", "HEAD^{tree}"]);
  const versions = new Set(published.map(({ folder }) => manifestOf(root, folder).version));
  const homeless = published.filter(
    ({ folder }) => manifestOf(root, folder).repository === undefined,
  );
  const silent = published.filter(({ folder }) => !manifestOf(root, folder).releaseNotes);
  return [
    CI === undefined ? "a release is published from CI alone: use --dry-run" : "",
    NODE_AUTH_TOKEN === undefined ? "NODE_AUTH_TOKEN is not set" : "",
    changed === "" ? "" : "the working tree has changes that are not committed",
    waiting === "" ? "" : `changesets wait: pnpm release:version (${waiting.trim()})`,
    ...findMissing(root, tree.trim(), new Date()).map((why) => `the nightly run: ${why}`),
    versions.size === 1 ? "" : "the packages have different versions",
    silent.length === 0 ? "" : "the packages have no notes of this version: pnpm release:version",
    homeless.length === 0
      ? ""
      : "provenance names a public repository: set repository in package.json of " +
        homeless.map(({ folder }) => folder).join(" and "),
  ].filter((why) => why !== "");
}
