import { globSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { alone, currentKind, matches, REPORT_VARIABLE } from "./.ci/kinds.ts";
import { LongestFirst } from "./.ci/longest-first.ts";
import { Progress } from "./.ci/progress.ts";

const root = import.meta.dirname;
const { only, leavesOut } = currentKind();
const report = process.env[REPORT_VARIABLE];

/** Packages whose tests use no database. */
const withoutDatabase = [
  "apps/cli",
  "apps/console",
  "apps/server",
  "packages/agent",
  "packages/client",
  "packages/command",
  "packages/create-parley",
  "packages/cron",
  "packages/fair-queue",
  "packages/guarded-fetch",
  "packages/mcp",
  "packages/sandbox",
  "packages/schema",
];

/** Starts the PostgreSQL of a run, and builds the server that the suites of `apps/e2e` start. */
const setupOf = (folder: string): string[] =>
  [
    ...(withoutDatabase.includes(folder) ? [] : ["packages/db/testing/global-setup.ts"]),
    ...(folder === "apps/e2e" ? ["apps/e2e/build-server.ts"] : []),
  ].map((file) => path.join(root, file));

const seedProperties = path.join(root, "apps/e2e/seed-properties.ts");

/** The patterns that concern a folder, as seen from it. */
const within = (folder: string, patterns: readonly string[]): string[] =>
  patterns
    .filter((pattern) => pattern.startsWith(`${folder}/`))
    .map((pattern) => path.relative(folder, pattern));

const always = ["**/node_modules/**", "**/dist/**", "**/template/**"];

/** The tests that read the sources alone. */
const architecture = "apps/e2e/architecture/*.test.ts";

/** The tests of a package: those that share the machine, and then those that have it to themselves. */
function projectsOf(folder: string) {
  const leftOut = [...always, ...within(folder, [...leavesOut, architecture])];
  const apart = within(folder, alone);
  const include = only === undefined ? ["**/*.test.ts"] : within(folder, only);
  const project = (name: string, test: object) => ({
    extends: true as const,
    root: path.join(root, folder),
    test: { name, globalSetup: setupOf(folder), setupFiles: [seedProperties], ...test },
  });
  const shared = project(folder, { include, exclude: [...leftOut, ...apart] });
  if (apart.length === 0) return [shared];
  const own = apart.filter((file) => only === undefined || matches(`${folder}/${file}`, only));
  const quiet = {
    include: own,
    exclude: leftOut,
    fileParallelism: false,
    sequence: { groupOrder: 1 },
  };
  return own.length === 0 ? [shared] : [shared, project(`${folder} alone`, quiet)];
}

/** The tests of the console's components, in a document instead of a browser, and without a database. */
const components = {
  extends: true as const,
  root: path.join(root, "apps/console"),
  resolve: { conditions: ["@parley/source", "module", "browser"] },
  test: {
    name: "apps/console components",
    environment: "happy-dom",
    setupFiles: [path.join(root, "apps/console/testing/clean-up.ts")],
    include: only === undefined ? ["**/*.test.tsx"] : [],
    exclude: always,
  },
};

const ofArchitecture = {
  extends: true as const,
  test: {
    name: "apps/e2e architecture",
    include: only === undefined ? [architecture] : [],
    exclude: always,
  },
};

const folders = globSync("{packages,apps}/*/package.json", { cwd: root }).map((file) =>
  path.dirname(file),
);

export default defineConfig({
  root,
  ssr: { resolve: { conditions: ["@parley/source", "node"] } },
  test: {
    projects: [...folders.flatMap(projectsOf), components, ofArchitecture],
    pool: "forks",
    // A worker loads a package's code once, not for each of its files.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Generous, since the packages' tests share the machine: what must be quick says so itself.
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 600_000,
    passWithNoTests: true,
    reporters:
      report === undefined ? [new Progress()] : [new Progress(), ["json", { outputFile: report }]],
  },
});
