import { globSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { alone, aroundOf, currentKind, matches, REPORT_VARIABLE } from "./.ci/kinds.ts";
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

const folders = globSync("{packages,apps}/*/package.json", { cwd: root }).map((file) =>
  path.dirname(file),
);

/** Starts the PostgreSQL of a run. */
const startDatabase = "packages/db/testing/global-setup.ts";

/** Packages whose tests share workers, which load the code that they have in common once. */
const groups = [
  {
    name: "a server",
    folders: ["apps/e2e"],
    // Builds the server that the suites start.
    globalSetup: [startDatabase, "apps/e2e/build-server.ts"],
  },
  {
    name: "a database",
    folders: folders.filter((folder) => folder !== "apps/e2e" && !withoutDatabase.includes(folder)),
    globalSetup: [startDatabase],
  },
  { name: "code", folders: withoutDatabase, globalSetup: [] },
];

/** The patterns that concern some folders. */
const within = (those: readonly string[], patterns: readonly string[]): string[] =>
  patterns.filter((pattern) => those.some((folder) => pattern.startsWith(`${folder}/`)));

const always = ["**/node_modules/**", "**/dist/**", "**/template/**"];

/** The tests that read the sources alone. */
const architecture = "apps/e2e/architecture/*.test.ts";

/** The tests of a group: those that share the machine, and then those that have it to themselves. */
function projectsOf({ name, folders: those, globalSetup }: (typeof groups)[number]) {
  const all = those.map((folder) => `${folder}/**/*.test.ts`);
  const leftOut = [...always, ...leavesOut, architecture];
  const apart = within(those, alone);
  const project = (label: string, test: object) => ({
    extends: true as const,
    test: { name: label, globalSetup, setupFiles: ["apps/e2e/seed-properties.ts"], ...test },
  });
  const include = only === undefined ? all : within(those, only);
  const shared = project(name, { include, exclude: [...leftOut, ...apart] });
  const own = apart.filter((file) => only === undefined || matches(file, only));
  if (own.length === 0) return [shared];
  const quiet = { fileParallelism: false, sequence: { groupOrder: 1 } };
  return [shared, project(`${name}, alone`, { include: own, exclude: leftOut, ...quiet })];
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

export default defineConfig({
  root,
  resolve: {
    // What threads and processes load, of the run's build: each would strip the types of its sources anew.
    alias: ["entry-file", "thread-module"].map((name) => ({
      find: new RegExp(`^\\.\\.?/${name}\\.ts$`),
      replacement: path.join(root, `apps/e2e/built/${name}.ts`),
    })),
  },
  ssr: { resolve: { conditions: ["@parley/source", "node"] } },
  test: {
    projects: [...groups.flatMap(projectsOf), components, ofArchitecture],
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
      report === undefined
        ? [new Progress()]
        : [new Progress(aroundOf(report)), ["json", { outputFile: report }]],
  },
});
