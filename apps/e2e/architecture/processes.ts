/** A file of ours that starts processes or threads. */
export interface Starter {
  readonly file: string;
  /** What it starts, and whose input that works on. */
  readonly why: string;
  /** What ends it. */
  readonly bound: string;
  /** The bound as its source has it. */
  readonly source: string;
}

/** Every file outside of tests and benchmarks that starts processes or threads. */
export const starters: readonly Starter[] = [
  {
    file: "packages/sandbox/src/processes/run-watched.ts",
    why: "Programs that end, on a stranger's input: the bundler, the extractor of documents' texts, and Git on a stranger's repository",
    bound: "time, processor time, memory, addresses, output and disk of the whole group",
    source: "watch.start(target, {",
  },
  {
    file: "packages/sandbox/src/processes/child.ts",
    why: "Processes that run functions' code",
    bound:
      "processor time and memory of the whole group while code runs, its time, and the size of its frames",
    source: 'process.kill("SIGKILL")',
  },
  {
    file: "packages/core/src/untrusted/threads.ts",
    why: "Threads for strangers' schemas, expressions, Markdown, YAML and pages",
    bound: "the heap of each thread, and a deadline of each call",
    source: "resourceLimits: RESOURCES",
  },
  {
    file: "apps/cli/src/connection/update.ts",
    why: "The user's npm, which asks their registry about one package; arguments of ours only",
    bound: "time, and the bytes of its output",
    source: "timeout: PATIENCE_MS",
  },
  {
    file: "apps/server/src/doctor/surroundings.ts",
    why: "Installed programs that print their version; no input",
    bound: "time, and the megabyte of output of `execFile`",
    source: "timeout: ANSWER_MS",
  },
  {
    file: "apps/server/src/serving/console-build.ts",
    why: "The build of the console beside a server of the workspace; the workspace's own sources only",
    bound: "the server's life, and the output that is kept",
    source: "slice(-MAX_OUTPUT)",
  },
  {
    file: "packages/db/src/inspect/inspect-programs.ts",
    why: "PostgreSQL's own program, which prints its version; no input",
    bound: "time, and the megabyte of output of `execFile`",
    source: "timeout: timeoutMs",
  },
  {
    file: "packages/db/src/embedded/run-program.ts",
    why: "PostgreSQL's own programs, which make and stop a cluster; arguments of ours only",
    bound: "the megabyte of output of `execFile`; how long a disk takes is not known",
    source: "execFile(file, args",
  },
  {
    file: "packages/db/src/embedded/postmaster.ts",
    why: "The embedded PostgreSQL, which lives as long as the server and ends with it",
    bound: "its own settings of memory and connections; a pipe that ends it with the server",
    source: "const GUARD",
  },
];
