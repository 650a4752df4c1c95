import path from "node:path";

// Which files of tests belong to which kind of run, by their paths from the root.

/** What needs a browser. */
const browser = [
  "apps/e2e/ai-sdk/{assistant-ui,browser}.test.ts",
  "apps/e2e/console/**/*.test.ts",
  "apps/e2e/openapi/browser.test.ts",
];

const faults = ["apps/e2e/faults/*.test.ts", "apps/e2e/idempotency/crash.test.ts"];
/** Those of each push: killed workers and servers, a PostgreSQL that crashes, half-open workers, and what is quick. */
const frequentFaults = [
  "apps/e2e/faults/{after-commit,alone,commands,data-directory,ledger}.test.ts",
  "apps/e2e/idempotency/crash.test.ts",
];
const otherFaults = [
  "apps/e2e/faults/!(after-commit|alone|commands|data-directory|ledger).test.ts",
];
const fuzz = ["apps/e2e/fuzz/*.test.ts", "apps/e2e/openapi/fuzz.test.ts"];
const attacks = ["apps/e2e/hostile/attacks.test.ts"];
const golden = ["apps/e2e/cli/golden/!(every-command).test.ts"];

/** Floods that last longest. */
const floods = [
  "apps/e2e/hostile/{body-costs,unread-responses}.test.ts",
  "apps/e2e/streams/slow-readers.test.ts",
];

/** Floods, code that takes what it gets, readers that do not read: each keeps a machine busy on purpose. */
const endurance = [
  "apps/api/src/limits/overload.test.ts",
  "apps/e2e/code/{bystander,waiting-functions}.test.ts",
  "apps/e2e/hostile/*.test.ts",
  ...floods,
  "packages/core/src/untrusted/threads.test.ts",
  "packages/sandbox/src/bundle/bundle-bombs.test.ts",
  "packages/sandbox/src/hostile/*.test.ts",
  "packages/sandbox/src/processes/fair-places.test.ts",
];

/** Servers that start and end again and again. */
const starts = [
  "apps/e2e/files/shutdown.test.ts",
  "apps/e2e/start/*.test.ts",
  "apps/e2e/stories/*.test.ts",
  "packages/db/src/embedded/{choose-runner,start-embedded}.test.ts",
];

/** Each feature in depth, over a running server: `test` has its contract, who may do what, and what it says. */
const suites = [
  "apps/e2e/{ag-ui,agent-calls,ai-sdk,cli,client,code,durable-streams,function-tools,functions-cli}/*.test.ts",
  "apps/e2e/{idempotency,mcp-server,models,observability,open-responses,openapi}/*.test.ts",
  "apps/e2e/{skills,streams,teams,tools,triggers,webhooks}/*.test.ts",
  "apps/e2e/administration/!(roles).test.ts",
  "apps/e2e/people/*.test.ts",
  "apps/e2e/siblings/*.test.ts",
];

/** Tests beside the code that last long: with services, processes, migrations and rounds of their own. */
const slow = [
  "apps/api/src/transports/subscriptions.test.ts",
  "apps/e2e/conformance/{listed-errors,rpc-subscriptions}.test.ts",
  "apps/server/src/core/bundle-code.test.ts",
  "apps/worker/src/{compaction/compaction-runs,documents/documents,fallback-runs,recorded-requests}.test.ts",
  "apps/worker/src/{e2b,web-sources}/*.test.ts",
  "apps/worker/src/retrieval/{embedding-runs,meaning}.test.ts",
  "packages/agent/src/providers/{service-faults,*.property}.test.ts",
  "packages/core/src/**/*.property.test.ts",
  "packages/cron/src/{every-minute,libraries}.test.ts",
  "packages/db/src/{migrate,migrate-*,migrations,transfer/transfer}.test.ts",
  "packages/mcp/src/hostile-servers.test.ts",
  "packages/sandbox/src/{boundary,bundle/*,extract/extract-document,processes/run-watched}.test.ts",
];

/** What documents show, as their readers would type it. */
const documents = ["apps/e2e/docs/{banner,operations,pages,python,site}.test.ts"];

/** What `test` leaves to CI: what takes long, and finds what a change seldom breaks. */
const long = [
  ...suites,
  ...slow,
  ...endurance,
  ...starts,
  ...documents,
  ...fuzz,
  ...frequentFaults,
  // Contention.
  "packages/core/src/**/*contention.test.ts",
  // Memory under large files and conversations.
  "apps/e2e/files/large.test.ts",
  // Replicas, and what stands before them.
  "apps/e2e/proxy/*.test.ts",
  "apps/e2e/replicas/*.test.ts",
  // Compilers of what services publish.
  "packages/agent/src/providers/published-types.test.ts",
  // PostgreSQL as WebAssembly.
  "packages/core/src/retrieval/vector-indexes.test.ts",
  // Packaging.
  "apps/e2e/clients/*.test.ts",
  "apps/e2e/examples/*.test.ts",
  "apps/e2e/packaging/*.test.ts",
  "apps/e2e/transfer/*.test.ts",
  ...browser,
];

/** What only the nightly run has: what has no small form, and kills of what each feature does. */
const nightlyOnly = [
  ...attacks,
  ...golden,
  ...otherFaults,
  ...floods,
  // Packages of npm, installed.
  "apps/e2e/functions-cli/npm-packages.test.ts",
  // Root file systems of Debian, as large as an image; runtimes that are fetched, and installs of them.
  "apps/e2e/packaging/{edge-and-native,image,poor-places,registry,runtimes,small-install}.test.ts",
];

/** Tests that measure what other work changes, as time does: one file after the other, when all others are done. */
export const alone = [
  "apps/api/src/limits/overload.test.ts",
  "apps/e2e/code/waiting-functions.test.ts",
  "apps/e2e/faults/overload.test.ts",
  "apps/e2e/faults/slow-connections.test.ts",
  "apps/e2e/hostile/attacks.test.ts",
  "apps/e2e/hostile/large-conversations.test.ts",
  "apps/e2e/replicas/costs.test.ts",
  "apps/worker/src/executor/limit-execution.test.ts",
  "apps/worker/src/javascript/locate-error.test.ts",
  "packages/core/src/log/follow.busy.test.ts",
  "packages/core/src/untrusted/threads.test.ts",
  "packages/sandbox/src/bundle/bundle-bombs.test.ts",
  "packages/sandbox/src/hostile/hostile-documents.test.ts",
  "packages/sandbox/src/processes/fair-places.test.ts",
];

/** What lasts longest in CI, in this order: a run begins with it. */
export const longest: readonly string[] = [
  "apps/e2e/docs/pages.test.ts",
  "apps/e2e/packaging/client.test.ts",
  "apps/e2e/packaging/create.test.ts",
  "apps/e2e/faults/ledger.test.ts",
  "apps/e2e/console/pages.test.ts",
  "apps/e2e/functions-cli/cases.test.ts",
  "apps/e2e/console/function-editor.test.ts",
  "apps/e2e/console/empty.test.ts",
  "apps/e2e/cli/one-caller.test.ts",
  "apps/e2e/cli/doctor.test.ts",
  "packages/sandbox/src/hostile/hostile-code.test.ts",
];

/** Files of tests that are run together. */
export interface Kind {
  /** The files that it runs alone, if it does not run all. */
  readonly only?: readonly string[];
  /** The files that it leaves out. */
  readonly leavesOut: readonly string[];
  /** What it prints about what it leaves out. */
  readonly note?: string;
}

export const kinds = {
  test: {
    leavesOut: [...long, ...nightlyOnly],
    note: "Left out: features in depth, migrations, floods, starts, documents, fuzz, contention, faults, replicas, packaging, the browser: pnpm test:full",
  },
  full: {
    leavesOut: nightlyOnly,
    note: "Left out: other faults, and the whole sizes of attacks, fuzz and properties: pnpm test:nightly",
  },
  browser: { only: browser, leavesOut: [], note: "Left out: everything but the browser" },
  screenshots: { only: ["apps/e2e/console/shown/take-screenshots.ts"], leavesOut: [] },
  // The parts of a nightly run, which own each file once.
  properties: { leavesOut: [...long, ...nightlyOnly] },
  whole: { only: long, leavesOut: [...faults, ...fuzz, ...attacks] },
  faults: { only: faults, leavesOut: [] },
  fuzz: { only: fuzz, leavesOut: [] },
  attacks: { only: attacks, leavesOut: [] },
  golden: { only: golden, leavesOut: [] },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

/** Names the kind of this process's run of vitest. Without a name, no file is left out. */
export const KIND_VARIABLE = "PARLEY_TEST_KIND";
/** Names the file that a run of vitest reports to as JSON, if it is to. */
export const REPORT_VARIABLE = "PARLEY_TEST_REPORT";
/** Where `Progress` writes what failed around tests, such as in their hooks, beside a report of Vitest. */
export const aroundOf = (report: string): string => `${report}.around`;

/** The kind that this process's environment names. */
export function currentKind(): Kind {
  const name = process.env[KIND_VARIABLE] ?? "";
  return name in kinds ? kinds[name as KindName] : { leavesOut: [] };
}

/** Whether a path from the root matches one of the patterns. */
export function matches(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => path.matchesGlob(file, pattern));
}
