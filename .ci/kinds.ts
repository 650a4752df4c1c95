import path from "node:path";

// Which files of tests belong to which kind of run, by their paths from the root.

/** What needs a browser. */
const browser = ["apps/e2e/console/**", "apps/e2e/openapi/browser.*"];

/** What only `test:full` runs: what takes long, and finds what a change seldom breaks. */
const full = [
  // Fuzz.
  "apps/e2e/fuzz/**",
  "apps/e2e/openapi/fuzz.*",
  // Contention.
  "packages/core/src/**/*contention.test.ts",
  // Faults: processes that are killed, databases and networks that fail.
  "apps/e2e/faults/**",
  "apps/e2e/hostile/attacks.*",
  "apps/e2e/idempotency/crash.*",
  // Memory under large files and conversations.
  "apps/e2e/files/large.*",
  "apps/e2e/hostile/large-conversations.*",
  // Replicas, and what stands before them.
  "apps/e2e/proxy/**",
  "apps/e2e/replicas/**",
  "apps/e2e/skills/replicas.*",
  // Packaging.
  "apps/e2e/clients/**",
  "apps/e2e/cli/golden/!(every-command).test.ts",
  "apps/e2e/examples/**",
  "apps/e2e/packaging/**",
  "apps/e2e/transfer/**",
  // A browser.
  ...browser,
];

/** Tests that measure time or memory: one file after the other, when all others are done. */
export const alone = [
  "apps/api/src/limits/database-wait.test.ts",
  "apps/api/src/limits/loop-delay.test.ts",
  "apps/e2e/code/waiting-functions.*",
  "apps/e2e/faults/half-open.*",
  "apps/e2e/faults/overload.*",
  "apps/e2e/faults/slow-connections.*",
  "apps/e2e/files/large.*",
  "apps/e2e/hostile/attacks.*",
  "apps/e2e/hostile/large-conversations.*",
  "apps/e2e/replicas/costs.*",
  "apps/worker/src/executor/limit-execution.test.ts",
  "apps/worker/src/javascript/locate-error.test.ts",
  "packages/core/src/log/follow.busy.test.ts",
  "packages/core/src/untrusted/threads.test.ts",
  "packages/sandbox/src/bundle/bundle-bombs.test.ts",
  "packages/sandbox/src/processes/fair-places.test.ts",
];

/** A kind of run, by the flag of `.ci/test.ts` that asks for it. */
export interface Kind {
  /** The files that it runs alone, if it does not run all. */
  readonly only?: readonly string[];
  /** The files that it leaves out. */
  readonly leavesOut: readonly string[];
  /** What the tests read of it. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Whether files that failed run once more, alone: these runs are long, on machines that others use
   * too, and a deadline that was missed once says little.
   */
  readonly isRepeated?: boolean;
  /** What it prints about what it leaves out. */
  readonly note?: string;
}

const NOTE =
  "Left out: fuzz, contention, faults, replicas, packaging, examples, the browser: pnpm test:full";

export const kinds = {
  test: { leavesOut: full, environment: {}, note: NOTE },
  full: {
    leavesOut: [],
    environment: { PARLEY_TEST_FULL: "1" },
    isRepeated: true,
    note: "Left out: the long runs of faults, attacks and fuzz: pnpm test:faults",
  },
  faults: {
    only: [
      "apps/e2e/faults/{embedded-ledger,growth,ledger,power-cut}.*",
      "apps/e2e/fuzz/**",
      "apps/e2e/hostile/attacks.*",
    ],
    leavesOut: [],
    environment: { PARLEY_TEST_FAULTS: "1" },
    note: "Left out: everything but the long runs of faults, attacks and fuzz",
  },
  browser: {
    only: browser,
    leavesOut: [],
    environment: {},
    note: "Left out: everything but the browser",
  },
  screenshots: {
    only: ["apps/e2e/console/shown/take-screenshots.ts"],
    leavesOut: [],
    environment: {},
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

/** Names the kind of this process's run of vitest. Without a name, no file is left out. */
export const KIND_VARIABLE = "PARLEY_TEST_KIND";
/** Names the file that a run of vitest reports to as JSON, if it is to. */
export const REPORT_VARIABLE = "PARLEY_TEST_REPORT";

/** The kind that this process's environment names. */
export function currentKind(): Kind {
  const name = process.env[KIND_VARIABLE] ?? "";
  return name in kinds ? kinds[name as KindName] : { leavesOut: [], environment: {} };
}

/** Whether a path from the root matches one of the patterns. */
export function matches(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => path.matchesGlob(file, pattern));
}
