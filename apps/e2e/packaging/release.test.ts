import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parts, type PartResult, writeResult } from "../../../.ci/nightly-parts.ts";
import { published } from "../../../.ci/published.ts";
import { notesOf, tagOf, writeRelease } from "../../../.ci/release-notes.ts";
import { findObstacles, manifestOf } from "../../../.ci/release-obstacles.ts";

const environment = { CI: "1", NODE_AUTH_TOKEN: "a token" };
const DAY_MS = 86_400_000;

let root: string;

const git = (...words: string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...words], {
    cwd: root,
    encoding: "utf8",
  }).trim();

const write = (file: string, content: unknown): void => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(path.join(root, file), text);
};

function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", "All");
}

/** Writes what a nightly run of the committed tree left of a part. */
function leave(part: string, how: Partial<PartResult> = {}): void {
  const tree = git("rev-parse", "HEAD^{tree}");
  const date = new Date().toISOString();
  writeResult(root, { tree, part, seed: 1, date, seconds: 60, isGreen: true, ...how });
}

function leaveAll(): void {
  for (const { name } of parts) leave(name);
}

const manifest = {
  version: "1.0.0",
  repository: "https://example.com/parley",
  releaseNotes: "- All of it",
};
const [first, second] = published.map(({ folder }) => path.join(folder, "package.json"));

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), "parley-release-"));
  git("init", "--quiet");
  write(".gitignore", "/.nightly/\n");
  for (const { folder } of published) write(path.join(folder, "package.json"), manifest);
  commit();
});
afterEach(() => rmSync(root, { recursive: true }));

const obstacles = (given: NodeJS.ProcessEnv = environment) => findObstacles(root, given);

test("nothing stands in the way of a clean tree with a green nightly run", async () => {
  leaveAll();
  expect(await obstacles()).toEqual([]);
});

test("a release is refused outside of CI and without a token", async () => {
  leaveAll();
  expect(await obstacles({})).toEqual([
    "a release is published from CI alone: use --dry-run",
    "NODE_AUTH_TOKEN is not set",
  ]);
});

test("a dirty tree is refused", async () => {
  leaveAll();
  write("README.md", "New");
  expect(await obstacles()).toEqual(["the working tree has changes that are not committed"]);
});

test("changesets that wait are refused", async () => {
  write(".changeset/brave-birds.md", "A change");
  commit();
  leaveAll();
  expect(await obstacles()).toEqual([
    "changesets wait: pnpm release:version (.changeset/brave-birds.md)",
  ]);
});

test("different versions, and packages without a repository, are refused", async () => {
  write(first ?? "", { ...manifest, version: "1.0.1" });
  const { repository: _repository, ...homeless } = manifest;
  write(second ?? "", homeless);
  commit();
  leaveAll();
  expect(await obstacles()).toEqual([
    "the packages have different versions",
    expect.stringMatching(/^provenance names a public repository: set repository in package.json/),
  ]);
});

test("a part that was not run on this very tree is refused", async () => {
  leaveAll();
  write("README.md", "New");
  commit();
  expect(await obstacles()).toEqual(
    parts.map(
      ({ name }) => `the nightly run: ${name} was not run on this tree: pnpm test:nightly ${name}`,
    ),
  );
});

test("a part that failed is refused", async () => {
  leaveAll();
  leave("faults", { isGreen: false });
  expect(await obstacles()).toEqual([
    "the nightly run: faults failed on this tree: pnpm test:nightly faults",
  ]);
});

test("a part that is older than seven days is refused", async () => {
  leaveAll();
  leave("fuzz", { date: new Date(Date.now() - 6.9 * DAY_MS).toISOString() });
  leave("golden", { date: new Date(Date.now() - 8.1 * DAY_MS).toISOString() });
  expect(await obstacles()).toEqual([
    "the nightly run: golden ran 8 days ago, at most 7 are allowed: pnpm test:nightly golden",
  ]);
});

test("the notes of a version are what was not released before it", async () => {
  const changelog = "# Changelog\n\n## Unreleased\n\n- New\n\n## 0.9.0 (2026-01-01)\n\n- Old\n";
  write("CHANGELOG.md", changelog);
  expect(tagOf("1.0.0")).toBe("v1.0.0");
  expect(notesOf(changelog, "0.9.0")).toBe("- Old");
  expect(notesOf(changelog, "1.0.0")).toBe("- New");
  writeRelease(root, "2026-02-01");
  // Once more is no second section.
  writeRelease(root, "2026-02-02");
  const written = readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
  expect(written).toContain("## Unreleased\n\n## 1.0.0 (2026-02-01)\n\n- New\n\n## 0.9.0");
  expect(notesOf(written, "1.0.0")).toBe("- New");
  for (const { folder } of published) expect(manifestOf(root, folder).releaseNotes).toBe("- New");
  commit();
  leaveAll();
  expect(await obstacles()).toEqual([]);
});

test("packages without notes of their version stand in the way", async () => {
  const { releaseNotes: _notes, ...silent } = manifest;
  write(first ?? "", silent);
  commit();
  leaveAll();
  expect(await obstacles()).toEqual([
    "the packages have no notes of this version: pnpm release:version",
  ]);
});
