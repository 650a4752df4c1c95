import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parts, type PartResult, writeResult } from "../../../.ci/nightly-parts.ts";
import { published } from "../../../.ci/published.ts";
import { findObstacles } from "../../../.ci/release-obstacles.ts";

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

const manifest = { version: "1.0.0", repository: "https://example.com/parley" };
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
    "changesets wait: pnpm changeset version (.changeset/brave-birds.md)",
  ]);
});

test("different versions, and packages without a repository, are refused", async () => {
  write(first ?? "", { version: "1.0.1", repository: manifest.repository });
  write(second ?? "", { version: "1.0.0" });
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
