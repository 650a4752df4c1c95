import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sayOverrun } from "./budgets.ts";
import { runFiles } from "./run-tests.ts";
import { runStep, runSteps, say, type Step } from "./steps.ts";

const root = path.resolve(import.meta.dirname, "..");
const cache = path.join(root, "node_modules/.cache/parley-check");
const FIX = "Mend it: npx -y pnpm@12.21.0 fix";
/** Beside what changed. */
const ALWAYS = ["apps/e2e/architecture/"];

const format: Step = { name: "format", command: ["oxfmt", "--check"], cure: FIX };
const knip: Step = { name: "dead code", command: ["knip"] };
const lint = (files: readonly string[]): Step => ({
  name: files.length === 0 ? "lint" : `lint of ${files.length} files`,
  command: ["oxlint", "--type-aware", "--deny-warnings", ...files],
  cure: FIX,
});
/** Checks the types of a program, of which what has not changed since the last time is not checked again. */
const typesOf = (name: string, project: string, ...more: readonly string[]): Step => {
  const known = path.join(cache, `${project.replaceAll("/", "-")}.tsbuildinfo`);
  const options = ["--incremental", "--tsBuildInfoFile", known, ...more];
  return { name, command: ["tsc", "--project", project, ...options] };
};
const types = typesOf("types", "tsconfig.json");

// Apart, since their global types are others.
const typesApart: readonly Step[] = [
  typesOf(
    "types of the example with Next.js",
    "examples/nextjs-chat",
    "--customConditions",
    "@parley/source",
  ),
  ...["packages/sandbox/src/child/inside", "apps/worker/src/e2b/inside"].map((folder) =>
    typesOf(`types of ${folder}`, folder),
  ),
];

/** Every static check, of everything. Resolves with the names of those that failed. */
export const checkStatically = (): Promise<string[]> =>
  runSteps([format, knip, lint([]), types, ...typesApart]);

/**
 * What is run before a commit: the static checks, linting only what changed since lint was last green and
 * what imports it, and the tests beside what changed.
 */
export async function check(): Promise<boolean> {
  const startedAt = performance.now();
  const linted = readLinted();
  const hashes = hashSources();
  const changed = [...hashes].filter(([file, hash]) => linted[file] !== hash).map(([file]) => file);
  const isPartial = changed.length < hashes.size / 4;
  const toLint = isPartial ? withImporters(changed, [...hashes.keys()]) : [];
  const needsLint = !isPartial || toLint.length > 0;
  const lintAndStore = async (): Promise<boolean> => {
    if (needsLint && !(await runStep(lint(toLint)))) return false;
    mkdirSync(cache, { recursive: true });
    writeFileSync(path.join(cache, "linted.json"), JSON.stringify(Object.fromEntries(hashes)));
    return true;
  };
  const changedHere = changedFiles();
  const tests = testsBeside(changedHere);
  const examples = testsOfExamples(changedHere);
  say(`Tests: ${[...tests, ...examples].join(" ")}`);
  const results = await Promise.all([
    runStep(format),
    // One after the other: each uses all cores, and both at once take longer.
    runStep(types)
      .then(async (ok) => (await runSteps(typesApart)).length === 0 && ok)
      .then(async (ok) => (await lintAndStore()) && ok),
    runFiles(tests, "test")
      // They are of no kind that `test` has.
      .then(async (ok) => (examples.length === 0 || (await runFiles(examples))) && ok)
      .then(async (ok) => (await runStep(knip)) && ok),
  ]);
  say("Left out: the tests that are not beside what changed: pnpm test");
  const isGreen = results.every(Boolean);
  sayOverrun("check", (performance.now() - startedAt) / 1000);
  say(isGreen ? "All is well" : "Something failed: see the lines with ✗ above");
  return isGreen;
}

/** The files that this branch or the working tree has changed, since it left `main`. */
function changedFiles(): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .split("\n")
      .filter((line) => line !== "");
  try {
    const untracked = git("ls-files", "--others", "--exclude-standard");
    return [...git("diff", "--name-only", baseOf(git)), ...untracked];
  } catch {
    return [];
  }
}

function baseOf(git: (...args: string[]) => string[]): string {
  for (const main of ["origin/main", "main"]) {
    try {
      return git("merge-base", "HEAD", main)[0] ?? "HEAD";
    } catch {
      // A clone may have no such branch.
    }
  }
  return "HEAD";
}

/** Where the tests of changed files are, as filters of Vitest. */
function testsBeside(files: readonly string[]): string[] {
  const beside = files.flatMap((file) => {
    if (file.endsWith(".md")) return ["apps/e2e/docs/links"];
    const [kind, name, , ...rest] = file.split("/");
    if (kind !== "packages" && kind !== "apps") return [];
    if (file.startsWith("apps/e2e/")) return rest.length === 0 ? [] : [`${path.dirname(file)}/`];
    if (file.includes("/migrations/")) return ["packages/db/src/migrate"];
    // A file of no room is tested beside it.
    if (rest.length === 1) return [file.replace(/(?:\.test)?\.tsx?$/, ".")];
    return rest.length === 0 ? [`${kind}/${name}/`] : [`${path.dirname(file)}/`];
  });
  return [...new Set([...ALWAYS, ...beside])];
}

/** The files that test the examples among changed files. */
function testsOfExamples(files: readonly string[]): string[] {
  const tests = files
    .filter((file) => /^examples\/[^/]+\//.test(file) && !file.endsWith(".md"))
    .map((file) => (file.startsWith("examples/nextjs-chat/") ? "nextjs-chat" : "processes"));
  return [...new Set(tests)].map((name) => `apps/e2e/examples/${name}.test.ts`);
}

function readLinted(): Record<string, string> {
  const file = path.join(cache, "linted.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>) : {};
}

/** Every source by its path, with a hash of it and of what decides how it is linted. */
function hashSources(): Map<string, string> {
  const rules = [".oxlintrc.json", "pnpm-lock.yaml", "tsconfig.json", "tsconfig.base.json"];
  const hash = (...texts: string[]): string =>
    createHash("sha256").update(texts.join("\0")).digest("base64");
  const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
  const ruled = hash(...rules.map(read));
  const files = globSync("{{packages,apps,examples}/**,.ci}/*.{ts,tsx,js,mjs}", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**", "**/.next/**"],
  });
  return new Map(files.toSorted().map((file) => [file, hash(ruled, read(file))]));
}

/** Files, and those that import one of them by its path. */
function withImporters(files: readonly string[], all: readonly string[]): string[] {
  if (files.length === 0) return [];
  const importers = all.filter((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    return [...text.matchAll(/from "(\.[^"]+)"/g)].some(([, to = ""]) =>
      files.includes(path.join(path.dirname(file), to)),
    );
  });
  return [...new Set([...files, ...importers])];
}
