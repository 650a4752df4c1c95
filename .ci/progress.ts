import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";

const root = path.resolve(import.meta.dirname, "..");
/** Silence is never longer. */
const HEARTBEAT_MS = 8000;
/** How many of the slowest files it names. */
const SLOWEST = 10;

/**
 * Reports a run as it goes: a line for each file that has ended, each failure when it happens with the
 * command that runs its file alone, every few seconds which files run, and at last which took longest.
 */
export class Progress implements Reporter {
  readonly #aroundFile: string | undefined;
  #vitest: Vitest | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #total = 0;
  #ended = 0;
  #printedAt = 0;
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #running = new Map<TestModule, number>();
  readonly #reported = new Set<string>();
  /** What failed around the tests of files, which Vitest's report leaves out. */
  readonly #around: Record<string, string> = {};
  readonly #took: { readonly file: string; readonly seconds: string; readonly ms: number }[] = [];

  /** With a path, writes there what failed around tests. */
  constructor(aroundFile?: string) {
    this.#aroundFile = aroundFile;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#total = specifications.length;
    this.#print(`Running ${this.#total} files of tests`);
    this.#heartbeat = setInterval(() => this.#beat(), 1000);
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.set(module, performance.now());
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== "pending") this.#counts[result.state]++;
    if (result.state !== "failed") return;
    this.#fail(`${fileOf(test.module)} > ${test.fullName}`, test.module, result.errors);
  }

  /** What fails around the tests of a `describe`, such as its hooks. */
  onTestSuiteResult(suite: TestSuite): void {
    const errors = suite.errors();
    if (errors.length === 0) return;
    this.#counts.failed++;
    this.#around[fileOf(suite.module)] ??= errors[0]?.message ?? "";
    this.#fail(`${fileOf(suite.module)} > ${suite.fullName}`, suite.module, errors);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended++;
    const errors = module.errors();
    if (errors.length > 0) this.#fail(fileOf(module), module, errors);
    const tests = [...module.children.allTests()];
    const skipped = tests.filter((test) => test.result().state === "skipped").length;
    const mark = module.ok() ? "✓" : "✗";
    const ms = performance.now() - (this.#running.get(module) ?? performance.now());
    const seconds = (ms / 1000).toFixed(1);
    this.#took.push({ file: fileOf(module), seconds, ms });
    this.#running.delete(module);
    const counts =
      skipped === 0 ? `${tests.length}` : `${tests.length - skipped} + ${skipped} skipped`;
    this.#print(
      `${mark} ${this.#ended}/${this.#total} ${fileOf(module)}: ${counts} tests, ${seconds} s`,
    );
  }

  onTestRunEnd(_modules: readonly unknown[], errors: readonly unknown[]): void {
    clearInterval(this.#heartbeat);
    for (const error of errors) this.#vitest?.logger.printError(error);
    if (this.#took.length > SLOWEST) this.#printSlowest();
    if (this.#aroundFile !== undefined)
      writeFileSync(this.#aroundFile, JSON.stringify(this.#around));
    const { passed, failed, skipped } = this.#counts;
    this.#print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  }

  #printSlowest(): void {
    const slowest = this.#took.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST);
    const lines = slowest.map(({ file, seconds }) => `  ${seconds} s ${file}`);
    this.#print(["Took longest:", ...lines].join("\n"));
  }

  #fail(title: string, module: TestModule, errors: readonly unknown[]): void {
    this.#print(`\n✗ ${title}`);
    for (const error of errors) {
      this.#vitest?.logger.printError(error, { project: module.project });
    }
    const file = fileOf(module);
    if (this.#reported.has(file)) return;
    this.#reported.add(file);
    this.#print(`Run it alone: npx -y pnpm@12.21.0 test ${file}\n`);
  }

  #beat(): void {
    if (performance.now() - this.#printedAt < HEARTBEAT_MS) return;
    const running = [...this.#running].map(
      ([module, since]) =>
        `${fileOf(module)} (${Math.round((performance.now() - since) / 1000)} s)`,
    );
    this.#print(`… ${this.#ended}/${this.#total}, running: ${running.join(", ") || "nothing yet"}`);
  }

  #print(line: string): void {
    this.#printedAt = performance.now();
    process.stdout.write(`${line}\n`);
  }
}

function fileOf(module: TestModule): string {
  return path.relative(root, module.moduleId);
}
