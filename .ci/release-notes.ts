import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { published } from "./published.ts";
import { manifestOf } from "./release-obstacles.ts";

const UNRELEASED = "## Unreleased";
/** Registries keep the manifests of all versions, so these have the beginning of long notes. */
const MAX_NOTES = 8000;

/** The tag of a version in git. */
export const tagOf = (version: string): string => `v${version}`;

/** What the changelog says of a version; of one that it does not name, what is not released yet. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m).map((section) => {
    const [heading = "", ...lines] = section.split("\n");
    return { heading, text: lines.join("\n").trim() };
  });
  const released = sections.find(({ heading }) => heading.startsWith(`## ${version} `));
  return (released ?? sections.find(({ heading }) => heading === UNRELEASED))?.text ?? "";
}

/** Gives what is not released yet the version that the packages have, and writes it into their manifests. */
export function writeRelease(root: string, day: string): void {
  const file = path.join(root, "CHANGELOG.md");
  const before = readFileSync(file, "utf8");
  const [first] = published;
  const { version } = manifestOf(root, first?.folder ?? "");
  if (!before.includes(`\n## ${version} `)) {
    writeFileSync(file, before.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} (${day})`));
  }
  const releaseNotes = notesOf(readFileSync(file, "utf8"), version).slice(0, MAX_NOTES);
  for (const { folder } of published) {
    const manifest = path.join(root, folder, "package.json");
    const members = JSON.parse(readFileSync(manifest, "utf8")) as object;
    writeFileSync(manifest, `${JSON.stringify({ ...members, releaseNotes }, undefined, 2)}\n`);
  }
}
